"""Generated test sets."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-drafts": Message(
        found="no file of drafts of this version",
        expected="a first line with {key}: {version}",
        fix="Make it with ragdash testset --drafts FILE.",
    ),
    "bad-drafts/head": Message(
        found="a first line that does not fit: {error}",
        expected="what is known of the set",
        fix="Take the file as the command wrote it.",
    ),
    "bad-drafts/json": Message(
        found="no JSON: {error}",
        expected="a JSON object in each line",
        fix="Make it with ragdash testset --drafts FILE.",
    ),
    "bad-drafts/line": Message(
        found="a line that does not fit: {error}",
        expected="a document or a draft",
        fix="Take the file as the command wrote it.",
    ),
    "bad-drafts/type": Message(
        found="a {type}",
        expected="a JSON object in each line",
        fix="Make it with ragdash testset --drafts FILE.",
    ),
    "bad-types": Message(
        found="{unknown:?{unknown!r:comma}}{unknown:!{questions} questions of {count} types}",
        expected="some of {types:comma}, and one question or more",
        fix="Name them with commas between.",
    ),
    "empty-test-set": Message(
        found="no question that was kept",
        expected="one or more",
        fix="Look at the reasons of the rejects; ask for more, or a better model.",
    ),
    "empty-test-set/no-drafts": Message(
        found="no question: the judge wrote none",
        expected="one or more",
        fix="Look at what is missing above.",
    ),
    "empty-test-set/rejects": Message(
        found="no question kept of {drafts:count draft}",
        expected="one or more",
        fix="Read the reasons with --rejects FILE, or try another model.",
        page="Read the reasons of the rejects, or try another model.",
    ),
    "few-documents": Message(
        found="questions to ask: {count}, for {wanted} {type} drafts",
        expected="enough documents",
        fix="Give more documents, or ask for fewer.",
    ),
    "few-documents/pairs": Message(
        found="pairs of documents that share rare words: {count}, for {wanted} {type} drafts",
        expected="enough documents",
        fix="Give more documents, or ask for fewer.",
    ),
    "judge-always-same": Message(
        found="one question {times} times: “{question}”",
        expected="a question for each document",
        fix="All but the first are rejects. Try another model.",
    ),
    "no-such-set": Message(
        found="{name!r}",
        expected="a set of the workspace",
        fix="Choose another.",
    ),
    "no-texts": Message(
        found="{documents} documents, none with a text of {shortest} signs or more",
        expected="documents with texts",
        fix="Give a file such as BEIR's corpus.jsonl, with doc_id and text.",
    ),
    "short-texts": Message(
        found="{documents} of {all_documents:count document} without a text long enough",
        expected="a text to ask about",
        fix="They are passed over.",
    ),
    "unreadable-file/permissions": Message(
        found="{reason}",
        expected="a file that can be read",
        fix="Check its permissions.",
    ),
    "unwritable-file/workspace": Message(
        found="{reason}",
        expected="a folder of yours",
        fix="Name another one in RAGDASH_WORKSPACE.",
    ),
}
