"""Commands that follow runs over time and over settings: pin, gate, bundle, sweep."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "baseline/changed": Message(
        actual="content that does not fit its digest: the file was changed by hand or by a merge",
        expected="a file as ragdash pin wrote it",
        fix="Restore it from version control, or pin the accepted run again.",
    ),
    "baseline/convention": Message(
        actual="{value!r}",
        expected="{pinned!r}, as the baseline was evaluated",
        fix="Leave the option out, or pin the accepted run again with it.",
    ),
    "baseline/damaged": Message(
        actual="a pinned baseline that cannot be read ({reason})",
        expected="a file as ragdash pin wrote it",
        fix="Restore it from version control, or pin the accepted run again.",
    ),
    "baseline/exists": Message(
        actual="a file of that name",
        expected="no baseline there yet",
        fix="--replace promotes this run: it becomes the baseline instead of {name!r} of {date}.",
    ),
    "baseline/fail-on": Message(
        actual="{value!r}",
        expected="one of {choices:comma}",
        fix="Use one of these.",
    ),
    "baseline/metric": Message(
        actual="{spec}, which the baseline does not have",
        expected="one of its metrics: {metrics:comma}",
        fix="Pin the accepted run again with {spec}.",
    ),
    "baseline/newer": Message(
        actual="version {version} of the format",
        expected="version {newest}",
        fix="Update ragdash.",
    ),
    "baseline/no-metric": Message(
        actual="no metric that can be compared query by query among {metrics:comma}",
        expected="a mean over queries with a better direction",
        fix='Choose one, such as -m "nDCG@10 RR".',
    ),
    "baseline/no-value": Message(
        actual="no value of {metrics:comma} for any query of {name!r}",
        expected="an evaluation with values to compare others with",
        fix="See below why there are none; choose other metrics with -m, or another run.",
    ),
    "baseline/not-json": Message(
        actual="a file that is not JSON ({reason})",
        expected="a pinned baseline",
        fix="Write one with: ragdash pin RUN --truth TRUTH -o baseline.ragdash",
    ),
    "baseline/other-format": Message(
        actual="another file",
        expected="a pinned baseline",
        fix="Write one with: ragdash pin RUN --truth TRUTH -o baseline.ragdash",
    ),
    "baseline/unreadable": Message(
        actual="a file that cannot be read: {reason}",
        expected="a pinned baseline",
        fix="Write one with: ragdash pin RUN --truth TRUTH -o baseline.ragdash",
    ),
    "bundle/exists": Message(
        actual="a folder with other files in it",
        expected="a folder that is empty or does not exist yet",
        fix="Choose another folder with -o.",
    ),
    "bundle/replace": Message(
        actual="a site that ragdash bundle wrote before",
        expected="a folder that is empty or does not exist yet",
        fix="Add --replace to write it again.",
    ),
    "history/accepted": Message(
        actual="no run of the history whose name, commit or digest begins with {value!r}",
        expected="one of the runs",
        fix="Choose one of: {names:comma}.",
    ),
    "history/dates": Message(
        actual="{dated:count run} with a date and {undated} without",
        expected="recorded runs alone, or runs without a date in the order given",
        fix="Record all of them with ragdash.record, or leave the others out.",
    ),
    "history/no-runs": Message(
        actual="no closed recorded run in {folder}",
        expected="folders with header.json and results.jsonl",
        fix="Record runs with ragdash.record, or name run files.",
    ),
    "several-as-repeats": Message(
        actual="{count:count run} of different configurations: {names:comma}",
        expected="one run, or repeats of one configuration, which are averaged per query",
        fix="Name one of them. If they are repeats, --group NAME says so and names them.",
    ),
    "several-as-repeats/settings": Message(
        actual="{count:count run} of {name!r} that differ in {settings:comma}",
        expected="one run, or repeats of one configuration, which are averaged per query",
        fix="Name one of them. If they are repeats, --group NAME says so and names them.",
    ),
    "sweep/command": Message(
        actual="a command that cannot be split into words ({reason})",
        expected="a command as a shell takes it, such as 'python search.py --k {{k}} --out {{out}}'",
        fix="Check its quotes.",
    ),
    "sweep/failed": Message(
        actual="{failed} of {points:count point} failed, the first with {reason}",
        expected="a command that writes a run and ends with exit status 0",
        fix="Run the first one by hand: {command}",
    ),
    "sweep/placeholder": Message(
        actual="{{{name}}}, which is no setting of the sweep",
        expected="{{out}} or one of {names:comma}",
        fix="Add --set {name}=VALUE,VALUE, or correct the name.",
    ),
    "sweep/point": Message(
        actual="the point {name!r} failed: {reason}",
        expected="a retriever that answers",
        fix="The other points are recorded. Call it again: only the points that failed run again.",
    ),
    "sweep/points": Message(
        actual="{points:count point}",
        expected="1 to {most} points",
        fix="Name fewer values.",
    ),
    "sweep/secrets": Message(
        actual="points that differ only in {names:comma}, which looks like a secret and is not recorded",
        expected="points whose recorded settings differ",
        fix="Give a setting that is no secret another name; of a secret, name one value.",
    ),
    "sweep/set": Message(
        actual="{text!r}",
        expected="NAME=VALUE,VALUE, each name once",
        fix="Write it like --set k=5,10,20.",
    ),
    "sweep/unused": Message(
        actual="the setting {name!r}, which the command does not use",
        expected="a placeholder {{{name}}} in the command",
        fix="Add the placeholder to the command, or leave the setting out.",
    ),
    "sweep/values": Message(
        actual="no list of values for {name!r}",
        expected="a list of values for each setting",
        fix="Write it like {{'k': [5, 10]}}, also for a single value: {{'k': [5]}}.",
    ),
}
