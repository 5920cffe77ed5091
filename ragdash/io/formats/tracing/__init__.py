"""Traces, several spans per question: exports of Phoenix and LangSmith, and of OpenTelemetry (OTLP as JSON)."""

from ragdash.io.formats.tracing import otlp, spans

__all__ = ["otlp", "spans"]
