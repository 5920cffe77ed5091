"""A LangChain application is recorded while it runs: with a stand-in for LangChain, and with the real package."""

from __future__ import annotations

import asyncio
import sys
import time
import types
from types import SimpleNamespace

import pytest

import ragdash
from ragdash.core.errors import InputError
from ragdash.workspace.recording import RecordingWarning, langchain_callback


@pytest.fixture(autouse=True)
def logs(tmp_path, monkeypatch):
    monkeypatch.setenv("RAGDASH_LOG_DIR", str(tmp_path / "logs"))


@pytest.fixture
def stand_in(monkeypatch):
    """A LangChain that consists of the base class alone."""
    module = types.ModuleType("langchain_core.callbacks")
    module.BaseCallbackHandler = type("BaseCallbackHandler", (), {"run_inline": False})
    monkeypatch.setitem(sys.modules, "langchain_core", types.ModuleType("langchain_core"))
    monkeypatch.setitem(sys.modules, "langchain_core.callbacks", module)
    return module.BaseCallbackHandler


def document(doc_id, score=None):
    metadata = {} if score is None else {"score": score}
    return SimpleNamespace(id=doc_id, page_content=f"text of {doc_id}", metadata=metadata)


def reply(text, prompt, completion):
    message = SimpleNamespace(usage_metadata={"input_tokens": prompt, "output_tokens": completion})
    return SimpleNamespace(generations=[[SimpleNamespace(text=text, message=message)]], llm_output=None)


def ids(run, query):
    return run.ranking(query).column("doc_id").to_pylist()


def details(run) -> dict:
    return {query: row for query, row in zip(run.query_ids.to_pylist(), run.details.to_pylist(), strict=True)}


def test_requests_that_overlap_are_kept_apart(stand_in):
    with ragdash.record("app") as run:
        handler = langchain_callback(run)
        assert isinstance(handler, stand_in) and handler.run_inline
        for root, query_id in ((1, "q1"), (2, "q2")):
            handler.on_chain_start({}, {"question": f"Question {root}?"}, run_id=root, metadata={"query_id": query_id})
            handler.on_retriever_start({}, "rewritten", run_id=10 * root, parent_run_id=root)
        handler.on_retriever_start({}, "inner", run_id=100, parent_run_id=10)
        handler.on_retriever_end([document("inner")], run_id=100, parent_run_id=10)
        for root in (2, 1):
            handler.on_retriever_end([document(f"d{root}", 0.5), document("d9", 0.25)], run_id=10 * root)
            handler.on_chat_model_start({}, [[SimpleNamespace(content="prompt")]], run_id=20 + root, parent_run_id=root)
            handler.on_llm_end(reply(f"Answer {root}", 30, root), run_id=20 + root)
            handler.on_llm_start({}, ["prompt"], run_id=30 + root, parent_run_id=root)
            handler.on_llm_end(reply(f"Better {root}", 3, 1), run_id=30 + root)
        assert not run.queries, "a request is added when its outermost chain ends"
        handler.on_chain_end({"answer": "Final 1"}, run_id=1)
        handler.on_chain_end(object(), run_id=2)
        assert not handler._steps, "nothing is kept of a request that ended"
    result = run.result()
    assert ids(result, "q1") == ["d1", "d9"] and ids(result, "q2") == ["d2", "d9"]
    rows = details(result)
    assert rows["q1"]["query"] == "Question 1?" and rows["q2"]["query"] == "Question 2?"
    assert rows["q1"]["answer"] == "Final 1" and rows["q2"]["answer"] == "Better 2"
    assert [rows[query][name] for query in ("q1", "q2") for name in ("prompt_tokens", "completion_tokens")] == [
        33, 2, 33, 3]
    latency = rows["q1"]["latency_ms"]
    assert 0 < latency["retrieval"] <= latency["total"] and 0 < latency["generation"] <= latency["total"]


def test_what_fails_is_a_failure_and_what_cannot_be_added_says_why(stand_in):
    with ragdash.record("app") as run:
        handler = langchain_callback(run)

        def ask(root, question, documents=None, error=None):
            handler.on_chain_start({}, question, run_id=root)
            handler.on_retriever_start({}, question, run_id=(root, "r"), parent_run_id=root)
            if error:
                handler.on_retriever_error(error, run_id=(root, "r"))
            else:
                handler.on_retriever_end(documents, run_id=(root, "r"))
            handler.on_chain_end("An answer", run_id=root)

        ask(1, "Who?", [document("d1")])
        with pytest.warns(RecordingWarning, match="'Who\\?' for the second time"):
            ask(2, "Who?", [document("d2")])
        ask(3, "When?", error=ConnectionError("no index"))
        with pytest.warns(RecordingWarning, match="None"):
            ask(4, "Where?", [document(None)])
        with pytest.warns(RecordingWarning, match="'Why\\?'.*AttributeError"):
            ask(5, "Why?", ["no document"])
        handler.on_chain_start({}, "How?", run_id=6)
        handler.on_chain_error(ValueError("broken"), run_id=6)
        handler.on_chain_start({}, "a chain without retriever and model", run_id=7)
        handler.on_chain_end("text", run_id=7)
        handler.on_retriever_start({}, "Both?", run_id=8, metadata=None)
        handler.on_retriever_end([], run_id=8)
        handler.on_chain_start({}, "Two?", run_id=9)
        rankings = [document("a", 1.0), document("b", 0.5)], [document("b", 9.0), document("c", 8.0)]
        for number, documents in enumerate(rankings):
            handler.on_tool_start({}, "search", run_id=(9, number), parent_run_id=9)
            handler.on_retriever_start({}, "x", run_id=(9, number, "r"), parent_run_id=(9, number))
            handler.on_retriever_end(documents, run_id=(9, number, "r"))
            handler.on_tool_end("done", run_id=(9, number))
        handler.on_chain_end({"messages": [SimpleNamespace(content="Two"), SimpleNamespace(content="Both")]}, run_id=9)
    result = run.result()
    assert ids(result, "Who?") == ["d1"], "the first result stays"
    assert ids(result, "Two?") == ["a", "b", "c"] and details(result)["Two?"]["answer"] == "Both"
    assert run.queries == {"Who?", "Both?", "Two?"} and result.header.failures == 4
    with pytest.warns(RecordingWarning, match="not open"):
        ask(10, "Late?", [document("d1")])


def test_without_langchain_the_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_core", None)
    monkeypatch.setitem(sys.modules, "langchain_core.callbacks", None)
    with pytest.raises(InputError, match="pip install langchain-core"):
        langchain_callback(ragdash.record("app"))


def test_a_real_langchain_application():
    pytest.importorskip("langchain_core", reason="langchain-core is not installed: its callbacks are not tried")
    from langchain_core.documents import Document
    from langchain_core.language_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnablePassthrough

    class Echo(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            if "fail" in query:
                raise ConnectionError("no index")
            time.sleep(0.002)
            return [Document(id=f"doc of {query}", page_content=query)]

    usage = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    model = GenericFakeChatModel(messages=iter(lambda: AIMessage("Ada", usage_metadata=usage), None))
    prompt = ChatPromptTemplate.from_template("{input} {context}")
    chain = {"context": Echo(), "input": RunnablePassthrough()} | prompt | model
    with ragdash.record("app") as run:
        config = {"callbacks": [langchain_callback(run)]}
        chain.invoke("one", {**config, "metadata": {"query_id": "q1"}})
        chain.batch([f"batch {number}" for number in range(8)], config)

        async def ask():
            await asyncio.gather(*(chain.ainvoke(f"async {number}", config) for number in range(8)))

        asyncio.run(ask())
        list(chain.stream("streamed", config))
        Echo().invoke("retriever", config)
        with pytest.raises(ConnectionError):
            chain.invoke("fail", config)
        with pytest.warns(RecordingWarning, match="second time"):
            assert chain.invoke("streamed", config).content == "Ada"
    result = run.result()
    assert len(result) == 19 and result.header.failures == 1
    rows = details(result)
    for query, row in rows.items():
        question = "one" if query == "q1" else query
        assert row["query"] == question and ids(result, query) == [f"doc of {question}"]
        assert row["latency_ms"]["retrieval"] >= 2 and row["latency_ms"]["total"] >= row["latency_ms"]["retrieval"]
        if query not in ("retriever", "streamed"):
            assert (row["answer"], row["prompt_tokens"], row["completion_tokens"]) == ("Ada", 7, 2)
    assert rows["retriever"]["answer"] is None and rows["streamed"]["answer"] == "Ada"
