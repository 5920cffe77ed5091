"""Traces, several spans per question: exports of Phoenix and LangSmith, and of OpenTelemetry (OTLP as JSON)."""
