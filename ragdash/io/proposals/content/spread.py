"""How the values of a field are spread over its records: one for all, several each, a count of the rows."""

from __future__ import annotations

from ragdash.io.proposals.fields import Field
from ragdash.io.proposals.names import DOCUMENT, ID, RETURNED


def is_constant(field: Field) -> bool:
    """True where all records have the same single value, such as the name of a model."""
    return len(field.values) > 2 and len({repr(item) for item in field.items}) == 1 and (
        set(field.name_words).isdisjoint(ID | DOCUMENT))


def is_several(field: Field) -> bool:
    """True for lists, some of which have more than one value."""
    return any(type(value) is list and len(value) > 1 for value in field.present)


def are_mostly_several(field: Field) -> bool:
    """True for lists of several values; an answer may be a list of names here and there."""
    several = sum(type(value) is list and len(value) > 1 for value in field.present)
    return several > (len(field.present) // 5 if not RETURNED.isdisjoint(field.name_words) else 0)


def counts_rows(field: Field) -> bool:
    """True for whole numbers that count the records from 0 or 1, as a row number does."""
    values = [str(value) for value in field.values]
    return len(values) > 1 and not field.is_list and values[0] in ("0", "1") and values == [
        str(number) for number in range(int(values[0]), int(values[0]) + len(values))]
