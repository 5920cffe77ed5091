"""Metrics, cutoffs, bands, targets, thresholds and prices."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

_DIFFERS = ("{name} of {run:named run}: file {file_mean:.3f}, recomputed {mean:.3f} as {metric} ({differing} of "
            "{queries:count query} differ)")

MESSAGES: Mapping[str, Message] = {
    "bad-field/band": Message(
        actual="band {number}: {value} (table {table})",
        expected="{{label = ..., low = ...}}",
        fix="Write the band this way.",
    ),
    "bad-field/label": Message(
        actual="label = {value} in band {number} (table {table})",
        expected="a text in quotes",
        fix="Put it in quotes.",
    ),
    "bad-field/number": Message(
        actual="{key} = {value} in band {number} (table {table})",
        expected="a number such as 0.7",
        fix="Write it without quotes.",
    ),
    "bad-field/price": Message(
        actual="{name} = {value}",
        expected="a table with prompt, completion or call",
        fix="Write [price.\"{name}\"] on a line, and prices such as call = 0.002 under it.",
    ),
    "bad-field/price-table": Message(
        actual="{key} = {value}",
        expected="a table [{key}]",
        fix="Write [{key}] on a line, and its entries under it.",
    ),
    "bad-field/text": Message(
        actual="{key} = {value} (table {table})",
        expected="a text in quotes",
        fix="Put it in quotes.",
    ),
    "bad-field/uses": Message(
        actual="{run} = {value}",
        expected="a list of names of prices",
        fix="Write [\"name\"].",
    ),
    "bad-price": Message(
        actual="{key} = {value} of {name!r}",
        expected="dollars, 0 or more",
        fix="Correct it.",
    ),
    "band-gap": Message(
        actual="{label!r} up to {high} and {upper!r} from {low} (table {table})",
        expected="bands without a gap",
        fix="Let each band begin where the one below ends, or leave its high out.",
    ),
    "band-gap/above": Message(
        actual="nothing above {label!r} up to {high:g} (table {table})",
        expected="bands from {lowest:g} to {highest:g}, the range of the metric",
        fix="Leave the high of the last band out.",
    ),
    "band-gap/below": Message(
        actual="nothing below {label!r} from {low:g} (table {table})",
        expected="bands from {lowest:g} to {highest:g}, the range of the metric",
        fix="Add a band from {lowest:g}.",
    ),
    "band-overlap": Message(
        actual="{label!r} up to {high} and {upper!r} from {low} (table {table})",
        expected="bands that do not overlap",
        fix="Let each band begin where the one below ends, or leave its high out.",
    ),
    "band-range": Message(
        actual="{edges:plural an edge/edges} at {edges:g} (table {table})",
        expected="bands from {lowest:g} to {highest:g}, the range of the metric",
        fix="Give values as the metric does: shares, not percentages.",
    ),
    "bound": Message(
        actual="{text!r}",
        expected="{wanted}",
        fix="Write METRIC=NUMBER.",
    ),
    "bound/metric": Message(
        actual="a bound on {spec}",
        expected="one of the metrics asked for: {metrics:spaced}",
        fix="Add {spec} to -m.",
    ),
    "bound/negative": Message(
        actual="{text!r}",
        expected="a finite number, 0 or more",
        fix="Give how much worse the candidate may be, such as 0.02.",
    ),
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
    "missing-field/band": Message(
        actual="band {number} without {key} (table {table})",
        expected="{{label = ..., low = ...}}",
        fix="Add it.",
    ),
    "missing-field/band-table": Message(
        actual="no {key} (table {table})",
        expected="{wanted}",
        fix="Add {key} = ...",
    ),
    "nan-edge": Message(
        actual="{label!r} from {low}, in the bands of {metric}",
        expected="a finite number",
        fix="Give the band's lowest value.",
    ),
    "nan-edge/high": Message(
        actual="{label!r} up to nan (table {table})",
        expected="a number",
        fix="Leave its high out.",
    ),
    "no-band": Message(
        actual="no band, in the bands of {metric}",
        expected="at least one band",
        fix="Give each band a label and its lowest value.",
    ),
    "many-bands": Message(
        actual="{count:,} bands of {metric}",
        expected="at most {most}, which a picture can show",
        fix="Join neighboring bands.",
    ),
    "no-band/file": Message(
        actual="bands = {entries} (table {table})",
        expected="at least one {{label = ..., low = ...}}",
        fix="Add the bands.",
    ),
    "no-label": Message(
        actual="a band without a label, in the bands of {metric}",
        expected="a label for each band",
        fix="Name it.",
    ),
    "no-scores": Message(
        actual="{reason}",
        expected="a run that is ranked by scores",
        fix="Give a file with scores; everything else works without them.",
    ),
    "no-source": Message(
        actual="no source, in the bands of {metric}",
        expected="where the bands come from",
        fix="Add source = \"who says so\".",
    ),
    "no-source/file": Message(
        actual="no {key} (table {table})",
        expected="{wanted}",
        fix="Add {key} = ...",
    ),
    "no-table": Message(
        actual="{keys:?the keys {keys:comma}}{keys:!no table}",
        expected="a [[table]] for each metric, with metric, source and bands",
        fix="Write [[table]] on a line, and metric, source and bands under it.",
    ),
    "not-ascending": Message(
        actual="{upper!r} from {upper_low:g} after {lower!r} from {lower_low:g}, in the bands of {metric}",
        expected="bands that ascend",
        fix="Order them by their lowest value.",
    ),
    "not-toml": Message(
        actual="{error}",
        expected="TOML",
        fix="Fix the line; texts are in quotes, numbers have a decimal point.",
    ),
    "repeated-label": Message(
        actual="{count:count band} {label!r}, in the bands of {metric}",
        expected="different labels",
        fix="Rename or join them.",
    ),
    "repeated-table": Message(
        actual="a second table of {spec} by {source!r}",
        expected="one table for a metric and source",
        fix="Join them, or name the sources apart.",
    ),
    "target": Message(
        actual="a target of {value:g} for {spec}",
        expected="a number from {low:g} to {high:g}",
        fix="Change the target.",
    ),
    "target/no-direction": Message(
        actual="a target for {spec}, of which neither direction is better",
        expected="a metric with a better direction",
        fix="Choose another metric.",
    ),
    "target/text": Message(
        actual="{text!r}",
        expected="a target such as nDCG@10=0.5",
        fix="Write METRIC=NUMBER.",
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
    "top-edge": Message(
        actual="a highest value of {high:g}{label:? and {label!r} from {low:g}}, in the bands of {metric}",
        expected="a highest value above the last band's lowest",
        fix="Raise it, or leave it out.",
    ),
    "unknown-field/band": Message(
        actual="{key!r} in band {number} (table {table})",
        expected="label, low and high",
        fix="Correct or remove it.",
    ),
    "unknown-field/band-table": Message(
        actual="{key!r} (table {table})",
        expected="{fields:comma}",
        fix="Correct or remove it.",
    ),
    "unknown-field/bands": Message(
        actual="{key!r}",
        expected="[[table]] alone",
        fix="Remove it.",
    ),
    "unknown-field/costs": Message(
        actual="{key!r}",
        expected="[price.\"name\"] and [uses]",
        fix="Remove it.",
    ),
    "unknown-field/price": Message(
        actual="{key!r} of {name!r}",
        expected="{fields:comma}",
        fix="Correct or remove it.",
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
    "unknown-price": Message(
        actual="{name!r} for {run:named run}",
        expected="{prices:?one of {prices:comma}}{prices:!one of no prices}",
        fix="Add its price, or take it out.",
    ),
}
