"""Asking two systems the same questions, generated test sets, and fusion of runs."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-cost-limit": Message(
        actual="{limit}",
        expected="dollars above 0",
        fix="Give a number such as 2.50.",
    ),
    "bad-drafts": Message(
        actual="no file of drafts of this version",
        expected="a first line with {key}: {version}",
        fix="Make it with ragdash testset --drafts FILE.",
        page="Export the drafts again with ragdash testset.",
    ),
    "bad-drafts/head": Message(
        actual="a first line that does not fit: {error}",
        expected="what is known of the set",
        fix="Take the file as the command wrote it.",
    ),
    "bad-drafts/json": Message(
        actual="no JSON: {error}",
        expected="a JSON object in each line",
        fix="Make it with ragdash testset --drafts FILE.",
        page="Export the drafts again with ragdash testset.",
    ),
    "bad-drafts/line": Message(
        actual="a line that does not fit: {error}",
        expected="a document or a draft",
        fix="Take the file as the command wrote it.",
    ),
    "bad-drafts/type": Message(
        actual="a {type}",
        expected="a JSON object in each line",
        fix="Make it with ragdash testset --drafts FILE.",
        page="Export the drafts again with ragdash testset.",
    ),
    "bad-name": Message(
        actual="{name!r}",
        expected="letters, digits, '.', '_', '+' and '-'",
        fix="Choose a name that a file can have.",
    ),
    "bad-types": Message(
        actual="{unknown:?{unknown!r:comma}}{unknown:!{questions:count question} of {count:count type}}",
        expected="some of {types:comma}, and one question or more",
        fix="Name them with commas between.",
    ),
    "changed-file": Message(
        actual="{changed:comma} changed since the first of these answers",
        expected="one configuration for all queries",
        fix="The older answers are used. If the change matters, choose another --output-dir.",
    ),
    "damaged-journal": Message(
        actual="a line that cannot be read: {line!r}",
        expected="lines of JSON",
        fix="Remove the line: its query is asked again.",
    ),
    "damaged-line": Message(
        actual="a last line that was cut off ({size} bytes)",
        expected="a whole line",
        fix="It was set aside in {kept_in}; its query is asked again.",
    ),
    "empty-test-set": Message(
        actual="no question that was kept",
        expected="one or more",
        fix="Look at the reasons of the rejects; ask for more, or a better model.",
    ),
    "empty-test-set/no-drafts": Message(
        actual="no question: the judge wrote none",
        expected="one or more",
        fix="Look at what is missing above.",
    ),
    "empty-test-set/rejects": Message(
        actual="no question kept of {drafts:count draft}",
        expected="one or more",
        fix="Read the reasons with --rejects FILE, or try another model.",
        page="Read the reasons of the rejects, or try another model.",
    ),
    "failed-query": Message(
        actual="query {query!r} of {configuration} without an answer: {reason}",
        expected="an answer",
        fix="It is missing in the run; --retry-failed asks again.",
    ),
    "few-documents": Message(
        actual="questions to ask: {count}, for {wanted} {type} drafts",
        expected="enough documents",
        fix="Give more documents, or ask for fewer.",
    ),
    "few-documents/pairs": Message(
        actual="pairs of documents that share rare words: {count}, for {wanted} {type} drafts",
        expected="enough documents",
        fix="Give more documents, or ask for fewer.",
    ),
    "file-exists": Message(
        actual="a file that is not of this job",
        expected="a free place for the run",
        fix="Choose another --output-dir, or another name for the configuration.",
    ),
    "fusion-choice": Message(
        actual="{name} = {value}",
        expected="one of {names:comma}",
        fix="Choose one of these.",
    ),
    "fusion-common": Message(
        actual="{count:count document} left out: one of the runs lacks {count:?it}{count:!them}",
        expected="documents that every run returned, as Chroma has it",
        fix="To keep the others, give --param default=1000, the rank that such a document gets.",
        page="Chroma keeps the others if each Knn has a default, the rank that such a document gets.",
    ),
    "fusion-copies": Message(
        actual="{count:count document} left out: a document before has {near:?nearly }{near:!}the same text",
        expected="each text once, as a union has it",
        fix="The first copy stays, judged or not. To keep all of them, add --param same=id.",
        page="The first copy stays, judged or not. To keep all of them, compare documents by id.",
    ),
    "fusion-equal-runs": Message(
        actual="the same rankings in {runs:named run}",
        expected="runs that differ",
        fix="Fusing a run with itself changes nothing. Choose another run.",
    ),
    "fusion-metric": Message(
        actual="{spec}, which does not read rankings",
        expected="a metric of rankings, such as nDCG@10",
        fix="Choose another metric to tune on.",
    ),
    "fusion-method": Message(
        actual="{name!r}",
        expected="one of {names:comma}",
        fix="Choose a fusion method.",
    ),
    "fusion-method/preset": Message(
        actual="the method {name!r} next to the preset {preset!r}, which is {method!r}",
        expected="one of the two",
        fix="Leave the method or the preset out.",
    ),
    "fusion-no-overlap": Message(
        actual="no document that two of the {runs:named run} return for the same query",
        expected="document ids that are written the same way in every run",
        fix="Check the ids: with different spellings each document counts twice.",
    ),
    "fusion-rank-scores": Message(
        actual="scores in {runs:named run} that follow from the rank alone, such as 1/rank",
        expected="the scores of the search",
        fix="A sum of such scores is a fusion of ranks. It is not proposed here. Export the scores of the search to "
            "tune their weights.",
    ),
    "fusion-spellings": Message(
        actual="{count:,} of {total:count document} that {first!r} and {second!r} write in different ways, such as "
               "{examples:or}",
        expected="one id for a document, or it counts twice and the judgments decide which documents gain",
        fix="Read the runs with {flags}.",
    ),
    "fusion-engine": Message(
        actual="{name!r}",
        expected="one of {names:comma}, or a preset",
        fix="Name one of them.",
    ),
    "fusion-engine/cannot": Message(
        actual="{method}{norm:?, {norm}}{weighted:? with these weights}, which {engine} has no query for",
        expected="what its presets do: {names:comma}",
        fix="Choose one of them with --preset, or take --snippet python.",
        page="Choose one of its presets.",
    ),
    "fusion-engine/tuned": Message(
        actual="{setting}, which {engine} has no query for",
        expected="the chosen setting",
        fix="This is the best setting tried that it has one for: {other}. Its {metric} is {mean} against {best} on all "
            "queries, which chose both.",
    ),
    "fusion-norm": Message(
        actual="the normalization {name!r}",
        expected="one of {names:comma}",
        fix="Choose a normalization.",
    ),
    "fusion-of-these": Message(
        actual="{run:named run}, a fusion of {legs:comma}",
        expected="searches alone, as a fusion of them adds nothing to them",
        fix="It is left out here. To fuse it all the same, leave out one of these runs.",
    ),
    "fusion-output": Message(
        actual="nowhere to write the fused run",
        expected="-o OUT to write it; or --truth with --tune, or without --method, --preset and --param, to choose one",
        fix="Add -o OUT.trec. To ask instead whether a hybrid would help: --truth QRELS --tune nDCG@10.",
    ),
    "fusion-parameter": Message(
        actual="{name!r}, which {method} does not have",
        expected="{names:!no parameter}{names:?{names:or}}",
        fix="Leave it out, or choose another method.",
    ),
    "fusion-preset": Message(
        actual="the preset {name!r}",
        expected="one of {names:comma}",
        fix="Choose a preset.",
    ),
    "fusion-queries": Message(
        actual="{count:count query} of {queries} not in {run:named run}",
        expected="the same queries in every run",
        fix="These queries get the results of the other runs alone.",
    ),
    "fusion-runs": Message(
        actual="{runs:count run}",
        expected="two runs or more",
        fix="Name another run: one run cannot be fused.",
        page="Choose another run: one run cannot be fused.",
    ),
    "fusion-runs/many": Message(
        actual="{runs:count run}",
        expected="at most {most} runs, as every subset of them is fused",
        fix="Name fewer runs.",
        page="Choose fewer runs.",
    ),
    "fusion-runs/two": Message(
        actual="{count:count run} for {name}",
        expected="two runs",
        fix="Name exactly two runs, or choose another method.",
        page="Choose exactly two runs, or another method.",
    ),
    "fusion-scores": Message(
        actual="no scores in {runs:named run}, which {method} needs",
        expected="runs with scores, or a method that reads ranks",
        fix="Use {methods:or}: they need ranks only.",
    ),
    "fusion-texts": Message(
        actual="no texts in {runs:named run}, which {method} compares",
        expected="runs with the texts of their documents",
        fix="Give the texts with --corpus FILE, or compare ids alone with --param same=id.",
        page="Load a corpus under Data, or compare documents by id.",
    ),
    "fusion-tuned": Message(
        actual="{run:named run} tuned on {count:count query} with {metric}",
        expected="other queries for its value",
        fix="On these queries its mean is too high. Report the held-out value, {held_out}, or use new queries.",
    ),
    "fusion-value": Message(
        actual="{name} = {value}",
        expected="a {whole:?whole }number{high:!, {low} or more}{high:? from {low} to {high}}",
        fix="Choose a value in this range.",
    ),
    "fusion-value/text": Message(
        actual="{text!r}",
        expected="NAME=VALUE, such as k=60 or weights=0.3,0.7",
        fix="Write a name, =, and a value; numbers or names with commas between.",
    ),
    "fusion-overflow": Message(
        actual="fused scores that are too large for a number",
        expected="finite sums",
        fix="Choose smaller parameters, or norm=min-max.",
    ),
    "fusion-weights": Message(
        actual="{count} {name} for {runs:count run}",
        expected="a value for each run",
        fix="Write as many values as there are runs, in their order.",
    ),
    "fusion-weights/values": Message(
        actual="the weights {values:comma}",
        expected="numbers from 0 to 1,000,000, at least one of them above 0 and none of these below 1e-100",
        fix="Choose other weights.",
    ),
    "joined-journals": Message(
        actual="a first line again",
        expected="one journal, which begins once",
        fix="Two journals were put into one file: keep one of them here, with its own first line.",
    ),
    "journal-in-use": Message(
        actual="a journal that another process is writing",
        expected="one process at a time",
        fix="Wait for it, or stop it.",
    ),
    "judge-always-same": Message(
        actual="one question {times} times: “{question}”",
        expected="a question for each document",
        fix="All but the first are rejects. Try another model.",
    ),
    "missing-answers": Message(
        actual="{missing} of {queries:count query} of {configuration} without an answer ({reasons:comma})",
        expected="an answer to each",
        fix="They are missing in the run; their answers and latencies have no value.",
    ),
    "no-answers": Message(
        actual="no answer of {configuration} to {questions:count question}: {reason}",
        expected="an answer to each question",
        fix="Try it with one question, fix it, and run this again.",
    ),
    "no-journal": Message(
        actual="a file that is no journal of this version",
        expected="the journal of an earlier `ragdash ab`, or no file",
        fix="Choose another --output-dir, or move the file away.",
    ),
    "no-questions": Message(
        actual="the ground truth {truth!r} without the texts of its queries",
        expected="questions to ask",
        fix="Give a ground truth with a field query, such as JSONL, CSV or a BEIR folder with queries.jsonl; qrels "
            "have none.",
    ),
    "no-such-command": Message(
        actual="{program!r}, which is not on this machine or cannot be run",
        expected="a command that can be run",
        fix="Check path and permissions. There is no shell: for pipes and variables write sh -c '...'.",
    ),
    "no-such-command/empty": Message(
        actual="an empty text",
        expected="a command that can be run",
        fix="Write a command such as 'python rag.py'.",
    ),
    "no-such-command/placeholders": Message(
        actual="{{question}} or {{query_id}} in a command that stays",
        expected="a command that can be run",
        fix="It reads its questions from standard input, a line of JSON for each.",
    ),
    "no-such-command/quotes": Message(
        actual="{command!r} ({error})",
        expected="a command that can be run",
        fix="Close the quotation marks.",
    ),
    "no-such-set": Message(
        actual="{name!r}",
        expected="a set of the workspace",
        fix="Choose another.",
    ),
    "no-texts": Message(
        actual="{documents:count document}, none with a text of {shortest} characters or more",
        expected="documents with texts",
        fix="Give a file such as BEIR's corpus.jsonl, with doc_id and text.",
    ),
    "other-job": Message(
        actual="answers of another command than now",
        expected="the same command and the same questions, so that the answers belong together",
        fix=(
            "Choose another --output-dir (or another name for the configuration) to start afresh, or remove this file "
            "if its answers are of no use."
        ),
    ),
    "other-job/questions": Message(
        actual="answers to other questions than now",
        expected="the same command and the same questions, so that the answers belong together",
        fix=(
            "Choose another --output-dir (or another name for the configuration) to start afresh, or remove this file "
            "if its answers are of no use."
        ),
    ),
    "same-name": Message(
        actual="{name!r} twice",
        expected="two names",
        fix="Name them apart.",
    ),
    "scores-left-out": Message(
        actual="{answers:count answer} without scores, others with them",
        expected="scores in every answer or in none",
        fix="All documents keep the order given, without scores.",
    ),
    "scores-below": Message(
        actual="{answers:count answer} without scores, others with them",
        expected="scores in every answer",
        fix="Their documents keep the order given, with scores just below the lowest of the run: any score cutoff "
            "removes them first.",
    ),
    "short-texts": Message(
        actual="{documents} of {all_documents:count document} without a text long enough",
        expected="a text to ask about",
        fix="They are skipped.",
    ),
    "unreadable-file/permissions": Message(
        actual="{reason}",
        expected="a file that can be read",
        fix="Check its permissions.",
    ),
    "unwritable-file/workspace": Message(
        actual="{reason}",
        expected="a folder that you may write",
        fix="Name another one in RAGDASH_WORKSPACE.",
    ),
    "unwritable-journal": Message(
        actual="{reason}",
        expected="a file that can be written, with room on the disk",
        fix="Make room or choose another --output-dir; what is there is kept.",
    ),
    "no-cost-reported": Message(
        actual="an answer of {configuration} without its cost",
        expected="cost_usd, the dollars that the answer cost, in every answer",
        fix="Let the command print cost_usd, or limit the calls with --max-calls.",
    ),
    "too-few-calls": Message(
        actual="{calls} calls",
        expected="{systems} or more: one for each system and repeat",
        fix="Allow more calls.",
    ),
}
