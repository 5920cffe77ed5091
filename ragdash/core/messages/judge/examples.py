"""Messages about human labels as examples in a judge's prompt."""

from ragdash.core.messages.message import Message

MESSAGES: dict[str, Message] = {
    "bad-examples": Message(
        actual="a file that holds no examples ({reason})",
        expected="the file as ragdash wrote it",
        fix="Delete it, and choose the examples again.",
    ),
    "few-examples": Message(
        actual="{number:count example} of each class for {metric}",
        expected="{wanted}: half of the labels, drawn at random, hold no more of both ends of the scale",
        fix="Label more answers to have more examples, or go on with these.",
    ),
    "few-examples/classes": Message(
        actual="no example of {classes:comma} for {metric}",
        expected="one of each label",
        fix="Label more answers, or go on without: the judge still knows the label by its meaning.",
    ),
    "few-examples/left": Message(
        actual="{left:count label} left for {metric}",
        expected="{fewest} or more, for an interval",
        fix="Label more answers.",
    ),
    "no-examples": Message(
        actual="no label of the class {classes:comma} for {metric} among {drawn} of {groups:count group} of labeled "
               "queries, drawn at random ({labels:count label} in all{long:?; {long} too long for an example}"
               "{scale:?; {scale} that the judge cannot give})",
        expected="one or more of each end of the scale",
        fix="Label more answers, or let the judge work without examples.",
    ),
    "no-run/examples": Message(
        actual="examples without runs, or for the local judge",
        expected="runs with --truth and the metric that a judge is asked",
        fix="Give the runs and -m METRIC, and leave out --verdicts and --local-judge.",
        page="Choose a judge that is asked by its prompt.",
    ),
    "no-examples/metric": Message(
        actual="examples for {metric}",
        expected="a metric whose verdict is one score or label: {metrics:comma}, or a rubric that is no ranking",
        fix="Choose one of these.",
    ),
}
