"""LLM judges: endpoints, keys, budgets, verdicts and the files they come in."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "too-few-to-reask": Message(
        actual="{verdicts:count verdict} of {judge} on these runs and metrics that can be compared",
        expected="{fewest} or more",
        fix="Name more runs or metrics that this judge has judged, with the same base URL, model and parameters.",
    ),
    "too-few-to-reask/replies": Message(
        actual="{replies:count usable reply} of {asked}",
        expected="{fewest} or more",
        fix="Try again, or raise the budget.",
    ),
    "another-answer": Message(
        actual="another answer to query {query!r} than the run's",
        expected="verdicts on the run's answers",
        fix="The row is left out.",
    ),
    "bad-budget": Message(
        actual="{calls} calls, {cost} of money",
        expected="0 or more",
        fix="Give numbers of 0 or more.",
    ),
    "bad-endpoint/key": Message(
        actual="a key with blanks or characters that no key has (it is not shown)",
        expected="letters, digits and marks",
        fix="Copy the key again.",
    ),
    "bad-judge-host": Message(
        actual="{host!r} among the hosts that may be called",
        expected='a name or an address without http:// and path, with a port or without, or "public"',
        fix="Write llm.example.org or llm.example.org:8000.",
    ),
    "judge-host-not-allowed": Message(
        actual="the host {host}{address:? ({address})}",
        expected="a host that may be called from this server: {allowed:comma}",
        fix="Choose another one, or name it with --judge-hosts. Internal addresses are closed unless listed.",
        page="Choose another one, or ask whoever runs this server to list it. Internal addresses are closed unless "
             "listed.",
    ),
    "bad-endpoint/kind": Message(
        actual="{kind!r}",
        expected="{kinds:or}",
        fix="Choose one of these.",
    ),
    "bad-endpoint/litellm": Message(
        actual="LiteLLM where only some hosts may be called",
        expected="a protocol whose connections can be checked: openai or anthropic",
        fix="Choose another --kind, or leave --judge-hosts out.",
        page="Choose another protocol.",
    ),
    "bad-endpoint/model": Message(
        actual="no model",
        expected="the name of a model",
        fix="Name the model that the endpoint serves.",
    ),
    "bad-endpoint/no-key": Message(
        actual="no key in the environment variable {variable}",
        expected="a key for the endpoint",
        fix="Set the variable, or name another with --key-env; endpoints on this machine need none.",
        page="Type the key under Key, or set the variable on the server and restart it.",
    ),
    "bad-endpoint/no-server-key": Message(
        actual="no {name}, neither in the server's environment nor in its secrets",
        expected="a key for the endpoint",
        fix=(
            "Type the key under Key, or set it on the server: as a variable, after which it is started again, or at "
            "the top of .streamlit/secrets.toml."
        ),
    ),
    "bad-endpoint/no-text": Message(
        actual="{value!r}",
        expected="text in UTF-8",
        fix="Type it again.",
    ),
    "bad-endpoint/no-typed-key": Message(
        actual="no key typed",
        expected="a key for {host}",
        fix="Enter the key, or choose one stored on the server.",
    ),
    "bad-endpoint/parameter": Message(
        actual="the parameter {name!r}",
        expected="parameters such as temperature or seed",
        fix="Leave it out: the program sets it, or may be a key, which is never saved.",
    ),
    "bad-endpoint/prices": Message(
        actual="{prompt} and {completion}",
        expected="two prices of 0 or more",
        fix="Give both for a million tokens.",
    ),
    "bad-endpoint/url": Message(
        actual="{url:?{url}}{url:!no address of an endpoint}",
        expected="http:// or https:// with a host",
        fix="Give it as the endpoint's makers do, such as http://localhost:11434/v1.",
    ),
    "bad-endpoint/url-parts": Message(
        actual="an address with more than host and path (at {host})",
        expected="no key, password or question mark in it",
        fix="Put the key into an environment variable and name that with --key-env.",
        page="Enter the key under Key.",
    ),
    "bad-score/verdict": Message(
        actual="{value!r} for {metric}",
        expected="a number from {low:g} to {high:g}",
        fix="It is left out.",
    ),
    "bad-verdict": Message(
        actual="{type}: {error}",
        expected="a verdict as it was exported",
        fix="Export it again; do not edit it.",
    ),
    "bad-verdicts": Message(
        actual="{key} that does not fit the claims",
        expected="a verdict for each claim",
        fix="It is left out.",
    ),
    "bad-verdicts/chunks": Message(
        actual="verdicts on different numbers of chunks",
        expected="one for each chunk",
        fix="The row is left out.",
    ),
    "busy": Message(
        actual="a judge at work on this server",
        expected="one at a time",
        fix="Wait until it is finished.",
    ),
    "busy/plans": Message(
        actual="several plans in progress on this server",
        expected="one of them finished",
        fix="Try again in a moment.",
    ),
    "endpoint-fails": Message(
        actual="{questions:count question} in a row that came to nothing ({reason}: {reply})",
        expected="an endpoint that answers",
        fix="Check that it runs and that base URL, model and kind are right; the same command resumes.",
        page=(
            "Check that it runs and that base URL, model and protocol are right, then start again: what is judged is "
            "kept."
        ),
    ),
    "endpoint-fails/bad-request": Message(
        actual="{questions:count question} in a row that came to nothing ({reason}: {reply})",
        expected="an endpoint that answers",
        fix="Read what it says about the request, and check model and kind; the same command resumes.",
        page="Read what it says about the request, check model and protocol, then start again: what is judged is kept.",
    ),
    "endpoint-fails/rate-limited": Message(
        actual="{questions:count question} in a row that came to nothing ({reason}: {reply})",
        expected="an endpoint that answers",
        fix="Come back when it has time again, with a smaller --concurrency; the same command resumes.",
        page="Come back when it has time again, then start again: what is judged is kept.",
    ),
    "endpoint-fails/timeout": Message(
        actual="{questions:count question} in a row that came to nothing ({reason}: {reply})",
        expected="an endpoint that answers",
        fix="Give it more time with --timeout, or a smaller --concurrency; the same command resumes.",
        page="Start again when it is faster: what is judged is kept.",
    ),
    "judge-always-same/verdicts": Message(
        actual="{metric} of {run:named run}: {mean:g} for all {queries:count query}",
        expected="verdicts that differ somewhere",
        fix=(
            "Such verdicts say nothing about quality: read some of the reasons, and compare the judge with human "
            "labels."
        ),
    ),
    "judge-unusable": Message(
        actual="{questions:count question} in a row that came to nothing ({reason}: {reply})",
        expected="verdicts as JSON",
        fix="Choose a model that follows instructions better; the same command resumes.",
        page="Choose a model that follows instructions better, then start again: what is judged is kept.",
    ),
    "key-of-another-host": Message(
        actual="{name} for {host}",
        expected="a key of {host}",
        fix="{name} is sent to {other} only. Enter the key, or name another variable.",
    ),
    "key-refused": Message(
        actual="an endpoint that refuses {variable:?the key in {variable}}{variable:!the key entered} ({reply})",
        expected="a key it takes",
        fix="Check the key and what it may do; --key-env names its environment variable.",
        page="Check the key, what it may do, and which one is under Key.",
    ),
    "key-refused/no-key": Message(
        actual="an endpoint that refuses to answer without a key ({reply})",
        expected="a key it takes",
        fix="Name the environment variable that holds the key with --key-env.",
        page="Enter it under Key.",
    ),
    "newer-ledger": Message(
        actual="verdicts in version {version} of the file",
        expected="version {newest}",
        fix="Use the ragdash that wrote it, or a newer one.",
    ),
    "no-prices": Message(
        actual="a budget of money without prices",
        expected="prices of a million tokens",
        fix="Give the prices, or a budget of calls.",
    ),
    "no-prices/both": Message(
        actual="a budget of money, or one price, without both prices",
        expected="prices of a million tokens read and written",
        fix="Give --price-in and --price-out, or --max-calls alone.",
        page="Give both prices under Sample, budget, prices, or a limit of calls alone.",
    ),
    "no-verdict": Message(
        actual="no verdict of {tool} on {run:named run}",
        expected="rows for its queries and answers",
        fix="Give the run that the file was made from, with its answers and the same query ids or texts.",
    ),
    "no-verdict/export": Message(
        actual="no verdict on {run:named run} to export",
        expected="verdicts of {metrics}",
        fix="python -m ragdash judge RUN --truth TRUTH --metrics \"{metrics}\" --base-url URL --model MODEL",
        page="Ask a judge on the Answers page.",
    ),
    "no-verdicts/run": Message(
        actual="no verdict on {run!r}",
        expected="a run that was judged",
        fix="Let a judge read it: python -m ragdash judge",
        page="Ask a judge on the Answers page.",
    ),
    "not-a-judged-metric": Message(
        actual="{name!r}",
        expected="one of {tasks:comma}",
        fix="Leave it out here; no judge is asked for it.",
    ),
    "not-a-key-variable": Message(
        actual="the variable {name!r}",
        expected="a name that ends in _API_KEY, or begins with RAGDASH_JUDGE_KEY",
        fix="Enter the key, or set it on the server under a name like this.",
    ),
    "not-confirmed": Message(
        actual="no yes to sending texts to {host}",
        expected="a yes",
        fix="Nothing was sent.",
    ),
    "not-confirmed/unasked": Message(
        actual="texts that would leave this machine, to {host}, unconfirmed",
        expected="a yes",
        fix="Add --yes if that is what you want.",
    ),
    "not-embedded": Message(
        actual="{metric} of {queries:count query}, whose questions no model has embedded yet",
        expected="values in the cache",
        fix="python -m ragdash score RUN --truth TRUTH --metrics \"{metric}\" --model FOLDER",
        page="Embed them on the Answers page.",
    ),
    "not-installed": Message(
        actual="no package requests",
        expected="a package that asks endpoints",
        fix="Install it: pip install \"ragdash[judge]\"",
        page="On the server: pip install \"ragdash[judge]\"",
    ),
    "not-installed/litellm": Message(
        actual="no package litellm",
        expected="the package that calls this provider",
        fix="Install it: pip install \"ragdash[litellm]\"",
    ),
    "nothing-to-judge/metric": Message(
        actual="no judged metric",
        expected="one metric and one query at least",
        fix="Name one.",
    ),
    "nothing-to-judge/no-answer": Message(
        actual="{run:named run} for {metric}: no answer for any query",
        expected="the texts that it is judged by",
        fix="Give the run a column answer.",
    ),
    "nothing-to-judge/no-citations": Message(
        actual="{run:named run} for {metric}: no answer that cites anything",
        expected="citations such as [2] or (source)",
        fix="Leave it out for answers without citations.",
    ),
    "nothing-to-judge/no-contexts": Message(
        actual="{run:named run} for {metric}: no contexts for any query",
        expected="the texts that it is judged by",
        fix="Give the run a column contexts, or texts to its documents, or the ground truth a corpus.",
    ),
    "nothing-to-judge/no-criterion": Message(
        actual="{run:named run} for {metric}: no criterion for any query",
        expected="the column that the rubric names, with a text for each query",
        fix="Give the ground truth that column, or leave column out of the rubric.",
    ),
    "nothing-to-judge/no-question": Message(
        actual="{run:named run} for {metric}: no text of the query for any query",
        expected="the texts that it is judged by",
        fix="Give the ground truth a column query.",
    ),
    "nothing-to-judge/no-references": Message(
        actual="{run:named run} for {metric}: no right answer for any query",
        expected="the texts that it is judged by",
        fix="Give the ground truth a column answers.",
    ),
    "nothing-to-judge/sample": Message(
        actual="a sample of {sample}",
        expected="one metric and one query at least",
        fix="Choose a larger sample.",
    ),
    "other-metric": Message(
        actual="scores of {name!r}",
        expected="one of {names:comma}",
        fix="They are left out.",
    ),
    "quota-used-up": Message(
        actual="a quota that is used up ({reply})",
        expected="credit for this model",
        fix="Check the account, then start again.",
    ),
    "quota-used-up/account": Message(
        actual="an account without credit ({reply})",
        expected="credit for this model",
        fix="Check the account, then start again.",
    ),
    "repeated-verdict": Message(
        actual="{metric} of query {query!r} again",
        expected="one verdict on a query",
        fix="The first one counts.",
    ),
    "several-judges": Message(
        actual="claims of several judges ({judge})",
        expected="the lists of one judge",
        fix="Name one of them.",
    ),
    "several-runs": Message(
        actual="{count:count run} in {name}",
        expected="one run",
        fix="Write it to a separate file with `ragdash convert --config NAME`.",
    ),
    "unknown-model": Message(
        actual="an endpoint that does not know the model {model!r} ({reply})",
        expected="the name of a model it has",
        fix="Check the name; the endpoint's makers list them.",
    ),
    "unknown-query/row": Message(
        actual="a row for the query {query}",
        expected="a query of the ground truth, by its id or its text",
        fix="The row is left out.",
    ),
    "unknown-verdicts": Message(
        actual="columns {columns:comma}",
        expected="results of RAGAS, RAGChecker or DeepEval with their scores or verdicts",
        fix=(
            "Export the results with scores; what `ragdash verdicts` wrote is read where it was written with --format "
            "ledger, ragas, ragchecker or deepeval."
        ),
        page=(
            "Export the results with their scores. Files that `ragdash verdicts` wrote in its own format or as RAGAS, "
            "RAGChecker or DeepEval are read too."
        ),
    ),
    "unreadable-file/verdicts": Message(
        actual="{reason}",
        expected="a file that can be read",
        fix="Check the path.",
    ),
    "unreadable-verdicts": Message(
        actual="a file that cannot be read ({reason})",
        expected="JSON, JSON lines or CSV in UTF-8",
        fix="Export the results again.",
    ),
    "unusable-ledger": Message(
        actual="verdicts that cannot be read or written ({reason})",
        expected="a file that can be read and written, with room on the disk",
        fix=(
            "Make room, or change the permissions; if it is damaged, move it away: it is not overwritten. "
            "RAGDASH_WORKSPACE names another folder."
        ),
    ),
    "votes-identical": Message(
        actual="{metric}: the {votes} replies to each of {questions:count question} are the same text",
        expected="votes that can differ",
        fix="The endpoint ignores temperature or repeats itself. These votes say no more than one of them.",
    ),
    "wrong-address": Message(
        actual="nothing to ask at {url} ({reply})",
        expected="an endpoint, and a model that it knows",
        fix="Check base URL (most end in /v1) and model name, and whether --kind is right.",
        page="Check base URL (most end in /v1) and model name, and whether the protocol is right.",
    ),
    "wrong-address/redirect": Message(
        actual="an address that redirects ({reply})",
        expected="the endpoint's own address",
        fix="Give the final address: a key is not sent after a redirect.",
    ),
}
