"""Weights that a model's folder does not have: transformers fills them at random, and scores would look like scores."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

NAMED = 3  # of them in a message


@contextmanager
def missing_weights() -> Iterator[list[str]]:
    """The names of the weights that models loaded in this block lack, there when it ends; not for several threads.

    transformers returns them with `output_loading_info`, which sentence-transformers does not ask for.
    """
    from transformers import PreTrainedModel

    names: list[str] = []
    original = PreTrainedModel.__dict__["from_pretrained"]

    def from_pretrained(cls, *args, **options):
        model, loading = original.__func__(cls, *args, **{**options, "output_loading_info": True})
        names.extend(sorted(loading["missing_keys"]))
        return (model, loading) if options.get("output_loading_info") else model

    PreTrainedModel.from_pretrained = classmethod(from_pretrained)
    try:
        yield names
    finally:
        PreTrainedModel.from_pretrained = original


def missing_words(names: list[str], *, pools: bool) -> str:
    """What is missing of a model, "" where nothing is. pools: the model is asked for its pooled output.

    The vectors of words do not need the weights of the pooled output, and many folders do not have them.

    Examples
    --------
    >>> missing_words(["encoder.layer.1.bias", "pooler.dense.bias"], pools=False)
    'a model that lacks the weights encoder.layer.1.bias'
    >>> missing_words(["pooler.dense.bias"], pools=False)
    ''
    """
    needed = [name for name in names if pools or (not name.startswith("pooler.") and ".pooler." not in name)]
    if not needed:
        return ""
    rest = f" and {len(needed) - NAMED:,} more" if len(needed) > NAMED else ""
    return f"a model that lacks the weights {', '.join(needed[:NAMED])}{rest}"
