"""Metrics, their cutoffs, parameters and thresholds, and those of files."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

_DIFFERS = ("{name} of {run:named run}: file {file_mean:.3f}, recomputed {mean:.3f} as {metric} ({differing} of "
            "{queries:count query} differ)")

MESSAGES: Mapping[str, Message] = {
    "corpus-size": Message(
        actual="{value!r}",
        expected="a whole number of documents",
        fix="Write it in digits, such as 1000000.",
    ),
    "few-queries": Message(
        actual="halves with {finding} and {checking} queries that have a relevant document",
        expected="at least one in each: to find the threshold and to check it",
        fix="Add queries; the sweep itself needs none.",
    ),
    "metric-cutoff": Message(
        actual="{text!r}",
        expected="{wanted}",
        fix="Change the cutoff.",
    ),
    "metric-cutoff/missing": Message(
        actual="{text!r}",
        expected="a cutoff: how many top documents count",
        fix="Write {complete}{whole:?, or {whole}}.",
    ),
    "file-metric-agrees": Message(
        actual="{name} of {run:named run}: file {file_mean:.3f}, recomputed {mean:.3f} as {metric}",
        expected="the same values",
        fix="They agree in all {queries:count query}.",
    ),
    "file-metric-differs/cutoff": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The file's values are {metric} over fewer documents: {variant} gives them in {explained} "
            "of {queries:count query}."
        ),
    ),
    "file-metric-differs/first-document": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The file compares one document, the judgments list several: with the first one alone, "
            "{variant} gives the values of the file in {explained} of {queries:count query}."
        ),
    ),
    "file-metric-differs/grades": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The file counts documents of higher grades only: {variant} gives its values in {explained} "
            "of {queries:count query}."
        ),
    ),
    "file-metric-differs/options": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The file uses other options: {variant} gives its values in {explained} of {queries:count "
            "query}."
        ),
    ),
    "file-metric-differs/rounded": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The file rounds its values. Both columns are shown."
        ),
    ),
    "file-metric-differs/returned": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The file divides by the documents returned where these are fewer than the cutoff: that gives its values "
            "in {explained} of {queries:count query}."
        ),
    ),
    "file-metric-differs/unit": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The definition of the file is not known. By its name it counts {unit}s, which may not be the documents "
            "ranked here. Both columns are shown."
        ),
    ),
    "file-metric-differs/unknown": Message(
        actual=_DIFFERS,
        expected="the same values",
        fix=(
            "The definition of the file is not known. Both columns are shown; check the ids, the cutoff and the "
            "judgments of the other tool."
        ),
    ),
    "metric-direction": Message(
        actual="{text!r}",
        expected="NAME=higher, NAME=lower or NAME=none, with the name of a metric in the file",
        fix="Write it this way, such as --metric-direction latency=lower.",
        page="Choose one of these.",
    ),
    "metric-direction/unknown": Message(
        actual="{name!r}, {names:?which is no metric of the files}{names:!but the files hold no metrics of their own}",
        expected="{names:?one of {names:or}}{names:!a metric that a file holds}",
        fix="{names:?Use one of these names.}{names:!Leave the option out: the direction of other metrics is known.}",
    ),
    "metric-parameter": Message(
        actual="{text!r}",
        expected="parameters of {metric}: {known}",
        fix="Write them as name=value, texts in quotes.",
    ),
    "metric-parameter/aqwv-cutoff": Message(
        actual="AQWV without a cutoff",
        expected="parameters that fit together",
        fix="Write AQWV@10, or AQWV(form='material', corpus_size=N).",
    ),
    "metric-parameter/corpus-size": Message(
        actual="aqwv_material without a corpus size",
        expected="the number of documents in the corpus",
        fix="Give corpus_size.",
    ),
    "metric-parameter/corpus-size-needed": Message(
        actual="corpus_size={size}",
        expected="parameters that fit together",
        fix="Give the number of documents in the corpus, {needed} or more.",
    ),
    "metric-parameter/language": Message(
        actual="language={language!r} with normalization={normalization!r}",
        expected="parameters that fit together",
        fix="Add normalization='unicode'.",
    ),
    "metric-parameter/material-cutoff": Message(
        actual="a cutoff of {cutoff} with form='material'",
        expected="parameters that fit together",
        fix="Leave it out: all returned documents count.",
    ),
    "metric-parameter/material-only": Message(
        actual="corpus_size or threshold without form='material'",
        expected="parameters that fit together",
        fix="Add form='material'.",
    ),
    "metric-parameter/mqwv-scores": Message(
        actual="MQWV for a run that has no scores or is not ranked by them",
        expected="parameters that fit together",
        fix="Use AQWV@k.",
    ),
    "metric-parameter/threshold-scores": Message(
        actual="a threshold for a run that has no scores or is not ranked by them",
        expected="parameters that fit together",
        fix="Leave it out.",
    ),
    "metric-parameter/tokens": Message(
        actual="tokens='set' with a normalization",
        expected="parameters that fit together",
        fix="Leave one of them out: sets have their own.",
    ),
    "no-scores": Message(
        actual="{reason}",
        expected="a run that is ranked by scores",
        fix="Give a file with scores; everything else works without them.",
    ),
    "threshold": Message(
        actual="no threshold",
        expected="at least one number",
        fix="Leave it out.",
    ),
    "threshold/nan": Message(
        actual="NaN among the thresholds",
        expected="at least one number",
        fix="Leave it out.",
    ),
    "unknown-measure": Message(
        actual="{measure!r}",
        expected="one of {measures:comma}",
        fix="Choose one of these.",
    ),
    "unknown-metric": Message(
        actual="{text!r}",
        expected="a metric, such as nDCG@10, R@5, Success@5 or RR",
        fix="See `ragdash metrics` for all of them.",
        page="See Metrics and help for all of them.",
    ),
    "unknown-metric/absent": Message(
        actual="{text!r}, which is not here: {needs_words:?it needs WordNet, a dictionary to be downloaded apart}"
               "{needs_words:!its value depends on a large model, a layer and a baseline}",
        expected="perhaps {names:or}",
        fix="Use one of these, or read your own {metric} from a column of the file.",
    ),
    "unknown-metric/near": Message(
        actual="{text!r}",
        expected="perhaps {names:or}",
        fix="See `ragdash metrics` for all of them.",
        page="See Metrics and help for all of them.",
    ),
}
