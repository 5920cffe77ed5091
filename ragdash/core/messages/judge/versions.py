"""Messages about several judges, several votes, and the versions of a judge: means over two are never joined."""

from ragdash.core.messages.message import Message

MESSAGES: dict[str, Message] = {
    "drift-due": Message(
        actual="the last verdicts of {judge} are of {month}, and none was asked again since",
        expected="a check of {number} verdicts in each month in which new ones are added",
        fix="Ask {number} of them again with --drift before you compare old and new ones: a model may change behind "
            "its name.",
        page="Ask {number} of them again first: a model may change behind its name.",
    ),
    "judge-versions": Message(
        actual="{metric} of {run:named run}: verdicts of {judge} are by several versions of the model. Shown is "
               "{version} ({used:count query}); left out: {versions:comma}",
        expected="one version",
        fix="Choose a version: -m \"{metric}(judge='{judge} version VERSION')\". Or ask the judge again about the rest "
            "with ragdash judge ... --renew; --drift says whether the versions judge alike.",
        page="Choose the version under Judge, or ask the judge again what other versions judged (Answers, LLM judge).",
        reason="several versions of {judge}",
    ),
    "judges-differ": Message(
        actual="{metric} of {run:named run}: the judges give different values to {differ} of {queries:count query}",
        expected="one value",
        fix="The value is their mean, or their majority where you chose that. To see each judge's own: --per-query, "
            "and the metric once for each judge.",
        page="The value is their mean, or their majority where you chose that. “Where the judges differ” (Answers, "
             "LLM judge) lists them.",
        reason="the judges give different values to {differ} of {queries:count query}",
    ),
    "judges-differ/votes": Message(
        actual="{metric} of {run:named run}: the votes give different values to {differ} of {queries:count query}",
        expected="one value",
        fix="The value is the mean of the votes, or their majority where you chose that. A single vote may differ.",
        reason="the votes give different values to {differ} of {queries:count query}",
    ),
    "nothing-to-judge/no-rivals": Message(
        actual="{run:named run} for {metric}: no query that two runs answer",
        expected="two runs or more with answers, which are ranked against each other",
        fix="Give the runs to rank in one command: ragdash judge A B C.",
        page="Choose two runs or more in the sidebar.",
    ),
    "nothing-to-judge/too-many-answers": Message(
        actual="{run:named run} for {metric}: more different answers to every query than one call ranks",
        expected="26 or fewer",
        fix="Rank fewer runs.",
    ),
    "other-judges": Message(
        actual="verdicts on {runs!r} by different judges or versions of a judge ({judges:comma})",
        expected="one version of one judge",
        fix="No difference of verdicts is given, only that of the labels. Ask one version about both with ragdash "
            "judge ... --renew, or choose one that judged both: -m \"METRIC(judge='JUDGE version VERSION')\".",
        page="No difference of verdicts is given, only that of the labels. Ask one version about both, or choose one "
             "that judged both.",
    ),
    "nothing-to-renew": Message(
        actual="no stored verdict of {judge} on these runs that is by another version than {version}",
        expected="verdicts of an older version",
        fix="Leave out --renew: the judge is asked what has no verdict yet.",
        page="Leave the choice out: the judge is asked what has no verdict yet.",
    ),
}
