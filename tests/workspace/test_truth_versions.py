"""A workspace notes which judgments were made of which others."""

from __future__ import annotations

import json

import pytest

from ragdash.core.corpus import Corpus
from ragdash.core.errors import InputError
from ragdash.core.records import Truth
from ragdash.workspace import TruthVersion, Workspace, family
from ragdash.workspace.truth_versions import version_of_json


def test_a_workspace_keeps_versions_by_their_first_truth(tmp_path):
    def version(doc: str, parent: Truth) -> tuple[Truth, TruthVersion]:
        truth = Truth.build(f"of {doc}", ["q"], [doc], [1]).with_corpus(Corpus.build("c", [doc], ["text"]))
        return truth, TruthVersion.of(truth, parent, {"moved": 1})

    first = Truth.build("first", ["q"], ["a"], [1])
    (second, of_second) = version("b", first)
    (_, of_third), (_, of_other) = version("c", second), version("z", Truth.build("other", ["q"], ["y"], [1]))
    home = Workspace(tmp_path / "w")
    assert home.versions() == ()
    for made in (of_second, of_third, of_other):
        home.keep_version(made)
    assert Workspace(tmp_path / "w", read_only=True).versions() == (of_second, of_third, of_other)
    assert family(home.versions(), first.judged_digest) == [of_second, of_third]
    assert family(home.versions(), second.judged_digest) == [of_second, of_third]
    assert family(home.versions(), "unknown") == []


@pytest.mark.parametrize("text", ["", "3", "null", "[]", "{}", '{"odd": 1}', "not JSON"])
def test_a_damaged_note_on_a_version_is_named(tmp_path, text):
    with pytest.raises(InputError, match="damaged note on a version"):
        version_of_json(text)
    good = TruthVersion.of(Truth.build("b", ["q"], ["b"], [1]), Truth.build("a", ["q"], ["a"], [1]), {"moved": 1})
    assert version_of_json(good.as_json()) == good
    for key, value in (("name", 3), ("counts", 3), ("counts", {"moved": "x"}), ("made", None)):
        with pytest.raises(InputError, match="damaged note on a version"):
            version_of_json(json.dumps({**json.loads(good.as_json()), key: value}))
