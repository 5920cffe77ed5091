"""The workspace, and the reviews kept in it."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "bad-json": Message(
        actual="{line!r} ({error})",
        expected="a JSON object",
        fix="Correct the line.",
    ),
    "bad-review/document": Message(
        actual="{value!r}",
        expected="the document of a judgment, and of nothing else",
        fix="Say which document is judged.",
    ),
    "bad-review/grade": Message(
        actual="{value!r}",
        expected="a whole number",
        fix="Give the grade, 0 for not relevant.",
    ),
    "bad-review/id": Message(
        actual="{value!r}",
        expected="32 hexadecimal digits",
        fix="Leave the id out: a new one is given.",
    ),
    "bad-review/kind": Message(
        actual="{value!r}",
        expected="{kinds:or}",
        fix="Choose one of these.",
    ),
    "bad-review/label": Message(
        actual="{value!r}",
        expected="a number from 0 to 1",
        fix="Write 1 for yes and 0 for no.",
    ),
    "bad-review/long-note": Message(
        actual="a note of {characters:count character}",
        expected="at most {most}",
        fix="Make it shorter.",
    ),
    "bad-review/missing": Message(
        actual="{missing:?no {missing:or}}",
        expected="{needed:comma}",
        fix="Add what is missing.",
    ),
    "bad-review/no-query": Message(
        actual="no query",
        expected="the id of a query",
        fix="Say which query it is about.",
    ),
    "bad-review/no-text": Message(
        actual="{value}",
        expected="text",
        fix="Write it as text.",
    ),
    "bad-review/object": Message(
        actual="{value!r}",
        expected="a JSON object with truth, kind and value",
        fix="Export reviews to see how they are written.",
    ),
    "bad-review/run": Message(
        actual="{value!r}",
        expected="a judgment for all runs",
        fix="Leave the run out.",
    ),
    "bad-review/truth": Message(
        actual="{value}",
        expected="the digest of a ground truth",
        fix="Write it as text.",
    ),
    "bad-review/undo": Message(
        actual="an undo",
        expected="a note, a verdict or a judgment",
        fix="Call undo.",
    ),
    "bad-review/undone": Message(
        actual="{value!r}",
        expected="the id of an event, 32 hexadecimal digits",
        fix="Name the event to undo.",
    ),
    "bad-review/verdict": Message(
        actual="{value!r}",
        expected="{verdicts:or}",
        fix="Choose one of these.",
    ),
    "review-changed": Message(
        actual="query {query!r}: the {what} was changed elsewhere since this page was drawn, to {value!r}",
        expected="the one that this page showed",
        fix="It stays. Look at it, then press again to replace or remove it.",
    ),
    "note-changed": Message(
        actual="that somebody else changed the note of {query!r} meanwhile, to {note!r}",
        expected="one writer at a time",
        fix="Both texts are kept where they fit: look at the note, and join them.",
    ),
    "text-changed": Message(
        actual="that somebody else changed the {what} of {name!r} meanwhile, to {value!r}",
        expected="one writer at a time",
        fix="Yours is stored instead. Copy what is missing from theirs.",
    ),
    "changed-meanwhile": Message(
        actual="that somebody else has changed {what} meanwhile",
        expected="{what} as this page showed it",
        fix="Nothing was stored. Look at what is stored, then press again to replace it.",
    ),
    "draft-changed": Message(
        actual="that somebody else has changed {name!r} meanwhile: {parts:comma}",
        expected="one reviewer at a time",
        fix="What you changed is stored. Look at the draft, and copy what is missing from theirs.",
    ),
    "broken-reviews": Message(
        actual="a damaged file of reviews: it was set aside, and what could be read was recovered",
        expected="a file that can be read",
        fix="Check whether reviews are missing; restore a copy of the file, or delete this one.",
    ),
    "damaged-truth-version": Message(
        actual="a damaged note on a version of the judgments ({reason})",
        expected="what ragdash wrote",
        fix="Follow the documents to their new ids again.",
    ),
    "broken-view": Message(
        actual="the saved view {slug!r} with damaged content",
        expected="a view as it was saved",
        fix="It is not listed; the other views are. Save it again under its name.",
    ),
    "view-there": Message(
        actual="a view {slug!r} that is there: it was saved again, or brought back already",
        expected="a view that is deleted",
        fix="Open it in the list of saved views. It stays as it is.",
    ),
    "broken-values": Message(
        actual="{count:count array} of kept values, damaged ({reason})",
        expected="the values as they were written",
        fix="Nothing is lost: they were computed again. Check the disk if this comes back.",
    ),
    "broken-workspace-file": Message(
        actual="{type} {name!r}, which cannot be read ({reason})",
        expected="the files as they were written",
        fix="Load its file again; {aside:?the broken one was set aside and }everything else is usable.",
    ),
    "extra-queries/reviews": Message(
        actual="{judgments:count judgment} of queries that the ground truth lacks",
        expected="judgments of its queries",
        fix="They are left out.",
    ),
    "left-out-queries": Message(
        actual="{queries:count query} with the verdict 'wrong gold'",
        expected="queries whose ground truth is right",
        fix="They are left out; fix the ground truth to include them again.",
    ),
    "newer-reviews": Message(
        actual="reviews in version {version} of the file",
        expected="version {newest}",
        fix="Use the ragdash that wrote it, or a newer one.",
    ),
    "newer-workspace": Message(
        actual="a workspace of a newer ragdash (format {version})",
        expected="format {newest}",
        fix="Update ragdash, or name another folder.",
    ),
    "rebuilt-workspace-list": Message(
        actual="the list of this workspace was lost; on {when} it was built again from the files of {count} runs and "
               "sets of judgments",
        expected="a list with their names, tags and order",
        fix="Check names, tags, descriptions, order and saved mappings, and enter again what is missing.",
    ),
    "lost-workspace-list": Message(
        actual="the list of this workspace is missing or empty, although the files of {count} runs and sets of "
               "judgments are there",
        expected="a list of them",
        fix="Open the workspace once without --read-only: the list is then built again from the files.",
        page="Ask whoever runs this server to open the workspace once with write permission: the list is then "
                 "built again from the files.",
    ),
    "no-workspace": Message(
        actual="no folder of this name",
        expected="a workspace to be served",
        fix="Check the path.",
    ),
    "not-kept": Message(
        actual="no {type} {digest}",
        expected="a {type} that the workspace keeps, by its digest or by a beginning that no other one has",
        fix="Load its file again.",
    ),
    "other-truth": Message(
        actual="reviews of a ground truth with digest {digest}",
        expected="those of {truth!r}, {truth_digest}",
        fix="Choose the ground truth they were made with.",
    ),
    "read-only-workspace": Message(
        actual="a change to a workspace that is served read-only",
        expected="no change",
        fix="Start the dashboard without --read-only.",
        page="Ask the person who runs the server.",
    ),
    "replaced-judgments": Message(
        actual="{judgments:count judgment} of the ground truth that the reviews grade otherwise",
        expected="one grade for a document",
        fix="The reviews count; undo them to use the ground truth's again.",
    ),
    "run-let-go": Message(
        actual="{run:named run}, which the server no longer has",
        expected="a run in memory",
        fix="Load its file again on the Data page.",
    ),
    "run-let-go/loaded": Message(
        actual="{run:named run}, which the server no longer has as it was loaded",
        expected="the run as it was loaded",
        fix="Load its file again.",
    ),
    "same-content": Message(
        actual="{run:named run} would become the same as run {other!r}",
        expected="runs that differ",
        fix="Nothing was changed. Remove one of the two.",
    ),
    "saved-view/exists": Message(
        actual="a saved view {name!r}, which exists already",
        expected="a new name",
        fix="Choose another name, or replace the view that exists.",
    ),
    "saved-view/long": Message(
        actual="a {what} of {characters} characters",
        expected="at most {most}",
        fix="Shorten it.",
    ),
    "saved-view/no-name": Message(
        actual="a view without a name",
        expected="a name",
        fix="Type a name for the view.",
    ),
    "unknown-review": Message(
        actual="{id!r}",
        expected="the id of an event of this ground truth",
        fix="Reload the reviews: the list may be out of date.",
    ),
    "unusable-reviews": Message(
        actual="a file that cannot be used ({reason}){nothing_kept:?: nothing was kept}",
        expected="a file that can be read and written",
        fix="Look at the file and its folder, or name another folder in RAGDASH_WORKSPACE.",
    ),
    "unusable-reviews/busy": Message(
        actual=(
            "a file that another program has kept open for {seconds:g} seconds ({reason}){nothing_kept:?: nothing was "
            "kept}"
        ),
        expected="a file that is free at times",
        fix="Close the other program, then try again.",
    ),
    "unusable-reviews/full": Message(
        actual="a disk that is full ({reason}){nothing_kept:?: nothing was kept}",
        expected="room on the disk",
        fix="Make room, then try again.",
    ),
    "unusable-reviews/unwritable": Message(
        actual="a file or folder that cannot be written ({reason}){nothing_kept:?: nothing was kept}",
        expected="a folder that you may write",
        fix="Change its permissions, or name another folder in RAGDASH_WORKSPACE.",
    ),
    "unusable-workspace": Message(
        actual="a workspace that cannot be used ({reason})",
        expected="a folder that can be read and written",
        fix="Check the folder and its permissions, or name another with --workspace DIR.",
        page="Check the folder and its permissions on the server, or name another there in RAGDASH_WORKSPACE.",
    ),
    "unusable-workspace/busy": Message(
        actual="a workspace that cannot be used ({reason})",
        expected="a folder that can be read and written",
        fix="Another process is writing; try again.",
    ),
    "unusable-workspace/disk": Message(
        actual="a workspace that cannot be used ({reason})",
        expected="a folder that can be read and written",
        fix="Check the disk and its free space; what was saved before is unharmed.",
    ),
    "unusable-workspace/full": Message(
        actual="a workspace that cannot be used ({reason})",
        expected="a folder that can be read and written",
        fix="Free space on that disk; what was saved before is unharmed.",
    ),
    "unusable-workspace/quota": Message(
        actual="a workspace that cannot be used ({reason})",
        expected="a folder that can be read and written",
        fix="Free space in your quota; what was saved before is unharmed.",
    ),
    "unusable-workspace/read-only": Message(
        actual="a workspace that cannot be used ({reason})",
        expected="a folder that can be read and written",
        fix="Name a folder that can be written (--workspace DIR), or start with --read-only.",
        page="On the server, name a folder that can be written in RAGDASH_WORKSPACE, or serve the workspace read-only.",
    ),
    "unwritable-content": Message(
        actual="{type} {name!r}, which is not the same when read again ({reason})",
        expected="content that Parquet can hold",
        fix="Use simpler columns, or keep its file elsewhere.",
    ),
    "unwritable-settings": Message(
        actual="{run:named run} with settings that cannot be saved: {reason}",
        expected="texts, numbers, lists and objects with texts as keys",
        fix="Write the settings this way.",
    ),
    "unwritable-text": Message(
        actual="{value}, which has half of a character",
        expected="text that can be written as UTF-8",
        fix="Remove that character.",
    ),
    "verbatim": Message(
        actual="{found}",
        expected="{expected}",
        fix="{fix}",
    ),
}
