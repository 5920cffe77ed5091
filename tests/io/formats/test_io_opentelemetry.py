"""Traces that OpenTelemetry's own packages write, of instrumented applications, are runs."""

from __future__ import annotations

import json

import pytest

from ragdash.core.records import Run
from ragdash.io import detect, read_run

TEXTS = {"d1": "Ada wrote the first program.", "d2": "It was in 1843.", "d3": "Bread is baked."}
QUESTIONS = ["Who wrote the first program?", "When was it?"]


@pytest.fixture
def traced(tmp_path):
    """A provider whose spans are written as OTLP JSON, and the run that is read from them."""
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="no OpenTelemetry here: its traces are not tried")
    files = pytest.importorskip("opentelemetry.exporter.otlp.json.file", reason="no exporter of OTLP as JSON here")
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    path, provider = tmp_path / "traces.jsonl", trace.TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(files.FileSpanExporter(path)))

    def read() -> Run:
        provider.shutdown()
        assert detect(path).format == "otlp-spans"
        run = read_run(path)
        assert run.query_ids.to_pylist() == QUESTIONS and not run.problems
        times = run.details["latency_ms"].to_pylist()
        assert all(0 < row["retrieval"] <= row["total"] for row in times)
        return run

    return provider, read


def retrieved(run: Run) -> list[list[str]]:
    return [run.ranking(question)["doc_id"].to_pylist() for question in QUESTIONS]


def test_a_langchain_chain_that_openinference_follows(traced):
    provider, read = traced
    instrumentation = pytest.importorskip("openinference.instrumentation.langchain",
                                          reason="no OpenInference for LangChain here")
    from langchain_core.documents import Document
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.runnables import RunnablePassthrough

    class Words(BaseRetriever):
        def _get_relevant_documents(self, query, *, run_manager):
            order = sorted(TEXTS, key=lambda doc: -len({*query.lower().split()} & {*TEXTS[doc].lower().split()}))
            return [Document(id=doc, page_content=TEXTS[doc]) for doc in order]

    prompt = ChatPromptTemplate.from_template("Answer {input} from {context}")
    model = FakeListChatModel(responses=["Ada", "In 1843"])
    chain = {"context": Words(), "input": RunnablePassthrough()} | RunnablePassthrough.assign(answer=prompt | model)
    instrumentor = instrumentation.LangChainInstrumentor()
    instrumentor.instrument(tracer_provider=provider)
    try:
        for question in QUESTIONS:
            chain.invoke(question)
    finally:
        instrumentor.uninstrument()
    run = read()
    assert [ranking[0] for ranking in retrieved(run)] == ["d1", "d2"] and run.depth == 3
    assert run.details["answer"].to_pylist() == ["Ada", "In 1843"]
    assert set(run.texts.to_pylist()) == set(TEXTS.values())


def test_spans_with_attributes_of_the_gen_ai_conventions(traced):
    provider, read = traced
    tracer = provider.get_tracer("application")
    for question in QUESTIONS:
        with tracer.start_as_current_span("invoke_agent", attributes={"gen_ai.operation.name": "invoke_agent"}):
            found = [{"id": doc, "score": 1 / rank} for rank, doc in enumerate(TEXTS, 1)]
            with tracer.start_as_current_span("retrieval", attributes={
                    "gen_ai.operation.name": "retrieval", "gen_ai.retrieval.query.text": question,
                    "gen_ai.retrieval.documents": json.dumps(found)}):
                pass
            with tracer.start_as_current_span("chat", attributes={
                    "gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 5, "gen_ai.usage.output_tokens": 2,
                    "gen_ai.output.messages": json.dumps([{"role": "assistant", "finish_reason": "stop", "parts": [
                        {"type": "text", "content": "Ada"}]}])}):
                pass
    run = read()
    assert retrieved(run) == [list(TEXTS)] * 2 and run.scores.tolist()[:2] == [1, 0.5]
    assert run.details["answer"].to_pylist() == ["Ada", "Ada"]
    assert run.details["prompt_tokens"].to_pylist() == [5, 5]
    assert run.details["completion_tokens"].to_pylist() == [2, 2]
