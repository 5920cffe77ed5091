"""A workspace notes which judgments were made of which others."""

from __future__ import annotations

from ragdash.core.corpus import Corpus
from ragdash.core.records import Truth
from ragdash.workspace import TruthVersion, Workspace, family


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
