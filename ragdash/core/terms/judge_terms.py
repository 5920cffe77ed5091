"""Terms of LLM judges, human labels and judge validation."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.terms.term import Term

_LINK = "judges.md"

TERMS: Mapping[str, Term] = {
    "llm_judge": Term(
        "Judge", "An LLM judge: a language model that reads answers and contexts and scores them. Judge validation "
        "compares it with people.", entry="a model that scores answers and contexts", link=_LINK,
        heading="LLM judge"),
    "claim": Term("Claim", entry="a short statement of one fact, taken from an answer or a reference"),
    "vacuous": Term("Vacuous", entry="an answer without a claim: nothing in it can be unsupported"),
    "verdict": Term(
        "Verdict", heading="verdict (of a judge), human label",
        entry="a judge's score of a query, from 0 to 1; the score it is compared with, best a person's", link=_LINK),
    "corrected": Term(
        "Corrected", "The mean of the labels, sharpened by the verdicts on all other queries, as far as verdicts and "
        "labels agree. Its interval covers both sampling and judge errors (tuned prediction-powered inference). It "
        "needs 20 labels.",
        link="../guide/trust.md",
        entry="the mean of the human labels, sharpened by a judge's verdicts (prediction-powered inference)"),
    "faithfulness": Term(
        "Faithfulness", heading="faithfulness, grounding",
        entry="whether the contexts support the answer: by a judge; by words"),
    "judge_alone": Term(
        "Judge alone", "Mean of the judge's verdicts over all queries. Shown without an interval here: one of sampling "
        "only, as on other pages, leaves out what the judge gets wrong."),
    "labels_alone": Term(
        "Labels alone", "Mean of the human labels with its interval, exact for yes and no, also of few labels; does "
        "not use the judge."),
    "labeled_and_judged": Term("n, N", "Labeled queries, and queries that are only judged."),
    "accuracy": Term(
        "Accuracy", "Share of the labeled queries on which judge and label agree, with its exact interval "
        "(Clopper-Pearson): 100% of 20 labels leaves room for a judge that is wrong in one of six."),
    "constant_answer": Term(
        "Constant answer", "How often one answer for all queries, the most frequent label, would agree. A judge that "
        "agrees no more often adds nothing on single answers."),
    "error_sources": Term(
        "What fools this judge?", "Mean distance of verdict and label, in the lower and upper half of each factor. p "
        "is of a permutation test, corrected for the number of factors (Holm). Not shown: the labels do not show an "
        "effect, which is no proof that there is none."),
    "kappa": Term(
        "Kappa", "Cohen's kappa: agreement beyond chance. 1 is full agreement, 0 is chance; undefined if both give the "
        "same value to every query. Its interval takes the ends of the interval of the accuracy."),
    "bias": Term("Bias", "Mean of verdict minus label: above 0, the judge scores higher than the labels."),
    "judge_differences": Term(
        "Difference", "Run minus baseline, paired by query, over the queries with a verdict in both."),
    "confusion": Term(
        "Labels and judge", "Labels in rows, verdicts in columns. Values from {yes} count as {word}, unless each "
        "value is a class of its own."),
    "judge_agreement": Term(
        "Judges", "Agreement among the judges, one vote each. Fleiss' kappa is agreement beyond chance, 1 if they "
        "always agree. Spread is the standard deviation of the verdicts on a query. The numbers above refer to their "
        "mean."),
    "vote_agreement": Term(
        "Votes", "The same question asked several times. Fleiss' kappa is agreement of the votes beyond chance, 1 if "
        "they always agree. Spread is the standard deviation of the votes on a query. The numbers above refer to the "
        "first vote."),
    "validated_metric": Term(
        "Metric", "The metric whose values are compared with human labels: scores of the runs' files, then metrics "
        "scored by judges, then other answer metrics. All are from 0 to 1."),
    "yes_threshold": Term(
        "Yes from", "Used for accuracy, kappa, the table and the disagreements. Means and intervals use the values."),
    "label_source": Term(
        "Labels", "Given on this page, or also a column of the runs' files: words such as Correct, Incorrect and "
        "Refusal, or numbers from 0 to 1. A refusal counts as right where a reference declines or the question has no "
        "answer. A label given here replaces that of the file. The interval holds if the labeled "
        "queries are a random sample.", link=_LINK),
    "dependent_queries": Term(
        "Queries are", "Answers to questions about one document are often right or wrong together, so 60 labels say "
        "less than 60 independent ones. Queries of a group then count as a group in every interval. Needs 10 labeled "
        "groups.",
        link=_LINK),
    "validated_judge": Term(
        "Judge", "All judges with verdicts on this metric, the one with most values first. With several judges, "
        "also their mean over the queries on which each has a verdict. Selecting the local judge trains it on your "
        "labels, without key or network, in seconds per 1,000 queries.", link=_LINK),
    "local_judge": Term(
        "Local judge", "A labeled query gets its verdict from a model that has not seen its label, in five folds; any "
        "other query gets the mean of the five. So no label is used both to train the judge and to evaluate it."),
    "sheet_size": Term("Queries", "A larger sheet includes the smaller one. Choose or type a number."),
    "sheet_seed": Term(
        "Seed", "The same seed draws the same queries in the same order, here and on the command line."),
    "sheet_runs": Term(
        "Runs", "Differences between runs need the same queries labeled in both: label all runs shown."),
    "label": Term("Label", "Yes is 1, no is 0. A number in between, such as 0.8, can be given in a file."),
    "saved_labels": Term(
        "Saved labels", "Labels belong to the content of a run: a changed answer makes a new run without labels. All "
        "judges are compared with the same labels."),
    "labels_file": Term(
        "Labels file", "CSV or JSONL with query_id and label, plus run if it contains labels of several runs. A label "
        "is a number from 0 to 1, yes or no; rows without one are ignored."),
    "base_url": Term(
        "Base URL", "From the documentation of the endpoint. The server of this dashboard calls it, so localhost is "
        "the server's machine.", link=_LINK),
    "judge_key": Term(
        "Key", "A typed key stays in this session's memory. Like a server key, it is passed to the judging process in "
        "its environment and never written to a file, link or log.", link=_LINK),
    "server_key": Term(
        "Name of the key on the server", "An environment variable of the server, or a top-level key in its "
        ".streamlit/secrets.toml. The name ends in _API_KEY or begins with RAGDASH_JUDGE_KEY.", link=_LINK),
    "judged_sample": Term(
        "Queries to judge", "Random sample, the same for all runs and metrics. Use a small one to estimate the full "
        "cost."),
    "judge_drift": Term(
        "Check for drift", "Asks 40 stored verdicts again (40 of each custom criterion), drawn at random, and "
        "compares. Stores no verdicts. Do it when the month or the provider changes: a model may change behind its "
        "name."),
    "judge_renew": Term(
        "Ask again what older versions judged", "A provider may change the model behind a name. Means over two "
        "versions are never joined. This asks the newest version about what older ones judged; their verdicts are set "
        "aside under a judge of their own."),
    "votes": Term("Votes", "Number of times each question is asked; the score is the mean. Each vote shows contexts, "
                  "claims and alternative references in another order, and votes after the first are asked at "
                  "temperature 0.7 where it would be 0."),
    "maximum_cost": Term(
        "Maximum cost", "In the currency of the prices, which are required. Judging stops before exceeding it."),
    "rubric": Term(
        "Custom criterion", "What the judge decides about each query. Its verdicts are values from 0 to 1: fail 0 and "
        "pass 1, labels evenly spaced, a number between the lowest and the highest.", link=_LINK,
        heading="rubric, custom criterion", entry="a criterion of your own, judged like any other metric"),
    "rubric_column": Term(
        "Column with a criterion", "A column of the ground truth whose text is the criterion of that query.",
        link=_LINK),
    "labeling_policy": Term(
        "Labeling policy", "Four decisions about doubtful answers, for people and judge alike. The judge has to be "
        "asked again under a new policy; labels and verdicts of the old one are kept apart. The code after the name is "
        "made from the text: the same policy has the same code.", link=_LINK,
        heading="labeling policy",
        entry="what people and judge do about doubtful answers, decided before the first label"),
    "judge_examples": Term(
        "Examples for the judge", "Labels drawn at random that become part of the judge's prompt, as many of each "
        "class. They, and the labels looked at to find them, are held out of agreement, kappa and intervals. Verdicts "
        "with other examples are never mixed with these. The code is made from the examples: the same ones, the same "
        "code.", link=_LINK),
    "try_one_call": Term(
        "Try one call", "Asks one question about one query, so that you see whether the endpoint answers before you "
        "pay for all. Its verdict is kept."),
    "batch_requests": Term(
        "Batch requests", "One line per question, in OpenAI's format, which Azure, vLLM and others take; with protocol "
        "Anthropic its list of requests. Each file is one round.", link=_LINK),
    "batch_replies": Term(
        "Batch replies", "Result files as the service returned them, also its file of errors. Lines that expired or "
        "failed go into the next file. A file read twice counts once.", link=_LINK),
    "batch_submit": Term(
        "Submit", "Uploads the requests of this round and makes a batch (OpenAI's files and batches). Questions in an "
        "open batch are never submitted again. The budget is for all rounds.", link=_LINK),
    "batch_poll": Term(
        "Look for replies", "Asks the service once and stores the replies of batches that have ended. A batch may take "
        "a day; come back to this page.", link=_LINK),
    "planned_calls": Term(
        "Calls", "Plus follow-up calls that depend on the replies, such as the verification of claims."),
    "planned_tokens": Term(
        "Tokens", "Estimate: four bytes per token; output as long as this judge's replies so far."),
    "stop_judging": Term("Stop", "Requests in flight are discarded and may still be billed."),
    "judge_scores": Term(
        "Judge scores", "Means over the n queries that have a value, with 95% bootstrap intervals. Undefined: the "
        "texts leave nothing to judge, such as an answer without claims. Missing: the verdict failed or was not "
        "requested. Both are excluded and never count as 0."),
    "several_judges": Term(
        "Several judges", "Several judges have scored these runs, each with separate verdicts. Their mean is over the "
        "queries on which each has a verdict. Judges agree: mean share of the judges that gave the most frequent "
        "value; of two judges never below 50%. The judge chosen here is shown on all pages. Without a choice, each "
        "metric shows the judge with values on most queries."),
    "judges_differ": Term(
        "Where judges differ", "Answers to which the judges give different values, the largest gap (highest minus "
        "lowest value) first. Read these: they are unclear, or a judge is wrong. Judges that agree can be wrong too."),
    "judged_queries_link": Term("Queries", "Its queries by {metric}, with claims and reasons."),
    "shown_judge": Term(
        "Judge", "The judge chosen for all pages comes first, else the one with most verdicts. The judge behind a "
        "metric's values is named below each table of values."),
}
