"""`actual` next to what was predicted is what is right: actual_files and predicted_files, actual and predicted."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.io.proposals.fields import Field

_PREDICTED = {"predicted", "pred", "prediction"}


class _RightField(Field):
    """A field whose name says actual for what is right."""

    @property
    def words(self) -> tuple[str, ...]:  # type: ignore[override]
        """The words of the path, with the one that says what it is."""
        return tuple("expected" if word == "actual" else word for word in super().words)

    @property
    def name_words(self) -> tuple[str, ...]:  # type: ignore[override]
        """The words of the last member, with the one that says what it is."""
        return tuple("expected" if word == "actual" else word for word in super().name_words)


def with_right_values(fields: Mapping[str, Field]) -> dict[str, Field]:
    """The fields; those called actual of which another one has a prediction are right: also Baseline_Predicted."""
    predicted = [item.name_words for item in fields.values() if not _PREDICTED.isdisjoint(item.name_words)]
    nouns = {tuple(word for word in names if word not in _PREDICTED) for names in predicted} | {
        () for names in predicted if names[-1] in _PREDICTED}
    return {path: _RightField(path, item.values) if "actual" in item.name_words and tuple(
        word for word in item.name_words if word != "actual") in nouns else item for path, item in fields.items()}
