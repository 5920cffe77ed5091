"""What is wrong with the limits that people set: bands, targets, bounds and prices."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

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
    "many-bands": Message(
        actual="{count:,} bands of {metric}",
        expected="at most {most}, which a picture can show",
        fix="Join neighboring bands.",
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
    "unknown-price": Message(
        actual="{name!r} for {run:named run}",
        expected="{prices:?one of {prices:comma}}{prices:!one of no prices}",
        fix="Add its price, or take it out.",
    ),
}
