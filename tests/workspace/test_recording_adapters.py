"""Retrievers of other packages are recorded: each adapter with the real package, where it is installed."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import orjson
import pytest

import ragdash
from ragdash.core.errors import InputError
from ragdash.workspace.recording.adapters import adapted, http

QUESTIONS = {"q1": "Who wrote the first program?", "q2": "When?"}
TEXTS = {"d1": "Ada wrote the first program.", "d2": "It was in 1843.", "d3": "Bread is baked."}


def installed(name: str):
    return pytest.importorskip(name, reason=f"{name} is not installed: its adapter is not tried")


@pytest.fixture(autouse=True)
def logs(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_LOG_DIR", str(tmp_path / "logs"))


def recorded(retriever, name: str) -> ragdash.Run:
    run = ragdash.record_retriever(retriever, QUESTIONS, name=name, concurrency=2)
    assert len(run) == 2 and run.header.failures == 0
    assert all(latency["total"] >= 0 for latency in run.details["latency_ms"].to_pylist())
    return run


def documents(run: ragdash.Run, column: str = "doc_id") -> list:
    return run.ranking("q1").column(column).to_pylist()


def test_langchain_retrievers_and_chains():
    installed("langchain_core")
    from langchain_core.documents import Document
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough

    class Words(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            words = set(query.lower().split())
            found = sorted(TEXTS, key=lambda doc: -len(words & set(TEXTS[doc].lower().split())))
            return [Document(page_content=TEXTS[doc], metadata={"doc_id": doc, "source": "book.txt"}) for doc in found]

    run = recorded(Words(), "langchain")
    assert documents(run) == ["d1", "d2", "d3"] and documents(run, "text")[0] == TEXTS["d1"]
    assert run.sources.to_pylist()[0] == "book.txt"
    by_id = recorded(RunnableLambda(lambda question: [Document(id="d2", page_content="x", metadata={"source": "s"})]),
                     "by id")
    assert documents(by_id) == ["d2"]
    model = FakeListChatModel(responses=["Ada"] * 4)
    prompt = ChatPromptTemplate.from_template("Answer {input} from {context}")
    chain = {"context": Words(), "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=prompt | model)
    answered = recorded(chain, "chain")
    assert documents(answered) == ["d1", "d2", "d3"] and answered.details["answer"].to_pylist() == ["Ada", "Ada"]
    assert sorted(answered.details["contexts"][0].as_py()) == sorted(TEXTS.values())
    assert recorded(prompt.partial(context="nothing") | model, "model").details["answer"].to_pylist() == ["Ada", "Ada"]


def test_llama_index_retrievers_and_query_engines():
    installed("llama_index.core")
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine
    from llama_index.core.response_synthesizers import get_response_synthesizer
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode

    class Fixed(BaseRetriever):
        def _retrieve(self, query_bundle):
            source = {NodeRelationship.SOURCE: RelatedNodeInfo(node_id="book")}
            return [NodeWithScore(node=TextNode(id_=doc, text=text, relationships=source), score=1.0 / rank)
                    for rank, (doc, text) in enumerate(TEXTS.items(), 1)]

    run = recorded(Fixed(), "llama")
    assert documents(run) == ["d1", "d2", "d3"] and documents(run, "score")[:2] == [1.0, 0.5]
    assert run.sources.to_pylist()[0] == "book"
    engine = RetrieverQueryEngine(Fixed(), get_response_synthesizer(llm=MockLLM(max_tokens=5)))
    answered = recorded(engine, "engine")
    assert documents(answered) == ["d1", "d2", "d3"] and all(answered.details["answer"].to_pylist())
    assert answered.details["contexts"][0].as_py() == list(TEXTS.values())


def test_haystack_pipelines_and_components(monkeypatch):
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    installed("haystack")
    from haystack import Document, Pipeline, component
    from haystack.components.builders import PromptBuilder
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    @component
    class Echo:
        @component.output_types(replies=list[str], meta=list[dict])
        def run(self, prompt: str):
            return {"replies": ["Ada"], "meta": [{"usage": {"prompt_tokens": len(prompt), "completion_tokens": 1}}]}

    store = InMemoryDocumentStore()
    store.write_documents([Document(content=text, meta={"doc_id": doc, "file_path": "book"})
                           for doc, text in TEXTS.items()])
    retriever = InMemoryBM25Retriever(store, top_k=2)
    run = recorded(retriever, "component")
    assert documents(run)[0] == "d1" and documents(run, "text")[0] == TEXTS["d1"] and documents(run, "score")[0] > 0
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=2))
    pipeline.add_component("prompt", PromptBuilder("{{ question }}: {{ documents }}", required_variables="*"))
    pipeline.add_component("model", Echo())
    pipeline.connect("retriever.documents", "prompt.documents")
    pipeline.connect("prompt.prompt", "model.prompt")
    answered = recorded(pipeline, "pipeline")
    assert answered.details["answer"].to_pylist() == ["Ada", "Ada"]
    assert min(answered.details["prompt_tokens"].to_pylist()) > 0
    assert documents(answered)[0] == "d1"


class Handler(BaseHTTPRequestHandler):
    """A search service: two ways to reply, a redirect and an error."""

    def do_POST(self):
        asked = orjson.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((asked, self.headers.get("Authorization")))
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/list")
            self.end_headers()
            return
        if self.path in ("/endless", "/slow"):
            self.send_response(200)
            self.end_headers()
            with suppress(OSError):
                for _ in range(100):
                    self.wfile.write(b" " * (1_000_000 if self.path == "/endless" else 1))
                    time.sleep(0 if self.path == "/endless" else 0.05)
            return
        reply = {"/list": ["d1", "d2"], "/wrong": {"status": "ok"}, "/full": {
            "results": [{"id": "d1", "content": TEXTS["d1"], "score": 0.5}], "answer": "Ada",
            "usage": {"prompt_tokens": 3, "completion_tokens": 1}}}.get(self.path)
        self.send_response(200 if reply is not None else 500)
        self.end_headers()
        self.wfile.write(orjson.dumps(reply))

    def log_message(self, *_):
        pass


@pytest.fixture
def service():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server, f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_http_endpoints(service):
    server, url = service
    assert documents(recorded(f"{url}/list", "list")) == ["d1", "d2"]
    full = recorded(http.endpoint(f"{url}/full", field="question", headers={"Authorization": "Bearer abc"},
                                  body={"top_k": 5}), "full")
    assert documents(full) == ["d1"] and documents(full, "text") == [TEXTS["d1"]]
    assert full.details["answer"].to_pylist() == ["Ada", "Ada"] and full.details["prompt_tokens"].to_pylist() == [3, 3]
    assert ({"top_k": 5, "question": QUESTIONS["q2"]}, "Bearer abc") in server.asked
    for path, words in (("/wrong", "a reply that is no result"), ("/moved", "302"), ("/broken", "500")):
        with pytest.raises(InputError, match=words) as error:
            ragdash.record_retriever(f"{url}{path}", QUESTIONS, name=path)
        assert error.value.problems[0].message == "recording/hopeless"
    with pytest.raises(InputError, match="ftp"):
        http.endpoint("ftp://host")


def test_a_reply_without_end_is_not_waited_for(service):
    _, url = service
    for path, words in (("/endless", "a reply of more than 16,777,216 bytes"), ("/slow", "did not end in time")):
        with pytest.raises(InputError, match=words):
            ragdash.record_retriever(http.endpoint(f"{url}{path}", timeout=0.5 if path == "/slow" else 20), QUESTIONS,
                                     name=path)


def test_an_object_that_cannot_be_called_is_refused():
    with pytest.raises(InputError) as error:
        adapted(5)
    assert error.value.problems[0].message == "recording/retriever"


def test_dspy_retrievers_and_modules():
    dspy = installed("dspy")

    class Words(dspy.Retrieve):
        def forward(self, query, k=None):
            words = set(query.lower().split())
            order = sorted(TEXTS, key=lambda doc: -len(words & set(TEXTS[doc].lower().split())))
            return dspy.Prediction(passages=[TEXTS[doc] for doc in order], ids=order)

    class Chain(dspy.Module):
        def __init__(self):
            super().__init__()
            self.retrieve = Words()

        def forward(self, question):
            return dspy.Prediction(answer="Ada", context=self.retrieve(question).passages)

    run = recorded(Words(), "dspy")
    assert documents(run) == ["d1", "d2", "d3"] and documents(run, "text")[0] == TEXTS["d1"]
    chain = recorded(Chain(), "chain")
    assert chain.details["answer"].to_pylist() == ["Ada", "Ada"]
    assert documents(chain)[0] == TEXTS["d1"], "a passage without an id is its own"
    search = dspy.retrievers.Embeddings(corpus=list(TEXTS.values()), k=2, embedder=lambda texts: np.array(
        [[len(text), 1.0] for text in texts]))
    assert set(documents(recorded(search, "embeddings"))) <= {"0", "1", "2"}
