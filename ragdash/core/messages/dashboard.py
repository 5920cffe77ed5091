"""The dashboard: access, column mapping, search."""

from __future__ import annotations

from collections.abc import Mapping

from ragdash.core.messages.message import Message

MESSAGES: Mapping[str, Message] = {
    "labels-as-run": Message(
        actual="labels of {runs:comma}, without documents and answers",
        expected="a run (what a configuration returned) or judgments",
        fix="Load this file on the Answers page, on the tab Judge validation.",
    ),
    "lost-upload": Message(
        actual="an upload that ended when the server was restarted",
        expected="a file that has arrived",
        fix="Drop the file again; everything shown before is still here.",
    ),
    "mapped-twice": Message(
        actual="two columns read as {meaning!r}",
        expected="one column for each",
        fix="Choose “Not used” for the other.",
    ),
    "no-login": Message(
        actual="no login: {reason}",
        expected="a login that is set up",
        fix="Ask the person who runs the server: docs/reference/deploy.md says what it needs.",
    ),
    "not-allowed": Message(
        actual="a request to {action}",
        expected="the role {role}",
        fix="Ask an admin of this server.",
    ),
    "not-saved": Message(
        actual="{name} loaded, but not saved for the next start: {cause.actual}",
        expected="{cause.expected}",
        fix="{cause.fix}",
    ),
    "typed-settings": Message(
        actual="{lines:comma}",
        expected='"name = value" on each line, and each name once',
        fix="Nothing was changed. Type the settings again.",
    ),
    "unclear-access/addresses": Message(
        actual="{key} = {value}",
        expected="a list of mail addresses",
        fix="Write {key} = [\"ada@example.org\"].",
    ),
    "unclear-access/claim": Message(
        actual="groups_claim = {value}",
        expected="the name of a claim",
        fix='Write groups_claim = "groups", or another name, such as "realm_access.roles".',
    ),
    "unclear-access/gone": Message(
        actual="no [auth] and no [access], which this server has read before",
        expected="the login that it was started with",
        fix="Put the file back. To serve without a login, start the server again.",
    ),
    "unclear-access/groups": Message(
        actual="{key} = {value}",
        expected="a list of names of groups",
        fix="Write {key} = [\"search-team\"].",
    ),
    "unclear-access/hosts": Message(
        actual="judge_hosts = {value}",
        expected="a list of hosts, each a name or an address without http:// and path",
        fix='Write judge_hosts = ["public", "llm.example.org:8000"].',
    ),
    "unclear-access/keys": Message(
        actual="[access] with {keys:comma}",
        expected="[access] with admins, editors or viewers",
        fix="List the addresses of those who may come in.",
    ),
    "unclear-access/no-auth": Message(
        actual="[access] without [auth]",
        expected="a login to go with the lists",
        fix="Add [auth], or remove [access].",
    ),
    "unclear-access/no-lists": Message(
        actual="no [access]",
        expected="[access] with admins, editors or viewers",
        fix="List the addresses of those who may come in.",
    ),
    "unclear-access/projects": Message(
        actual="projects = {value}",
        expected="a table for each project with admins, editors, viewers, or groups of these",
        fix="Write [access.projects.NAME] with these lists below.",
    ),
    "unclear-access/unreadable": Message(
        actual="{name}, which cannot be read",
        expected="TOML",
        fix="Fix the file; the server's log says where. Until then nobody can log in.",
    ),
    "unclear-access/value": Message(
        actual="access = {value}",
        expected="[access] with admins, editors or viewers",
        fix="List the addresses of those who may come in.",
    ),
    "bad-config": Message(
        actual="settings of Streamlit that are not TOML ({reason})",
        expected="TOML in UTF-8",
        fix="Correct the file, or remove it: ragdash needs none.",
    ),
    "bad-config/no-section": Message(
        actual="{name} outside of a section",
        expected="[section] above its options",
        fix="Correct the file, or remove it: ragdash needs none.",
    ),
    "bad-config/no-text": Message(
        actual="{value}",
        expected="a text in quotes",
        fix="Correct the file, or remove it: ragdash needs none.",
    ),
    "no-host": Message(
        actual="{host} ({reason})",
        expected="the name of a host, or an address",
        fix="Name one that this machine has, such as 127.0.0.1.",
    ),
    "unreadable-config": Message(
        actual="settings that the user of this process cannot read ({reason})",
        expected="a file of this user",
        fix="Give the file to the user that the server runs as, with chown.",
    ),
    "unreadable-secrets": Message(
        actual="secrets that the user of this process cannot read ({reason})",
        expected="a file of this user",
        fix="Give the file to the user that the server runs as, with chown; chmod 600 keeps others out.",
    ),
    "long-text": Message(
        actual="a {what} of {characters:,} characters",
        expected="at most {most:,}",
        fix="Shorten it.",
    ),
    "late-text": Message(
        actual="a {what} that came when the page had changed: it is not saved",
        expected="a field that is still on the page",
        fix="Type it again.",
    ),
    "long-search": Message(
        actual="a text of {characters:,} characters to search for",
        expected="a shorter one",
        fix="Search for a part of it.",
    ),
    "wrong-pattern": Message(
        actual="{error} at character {position}: {where}",
        expected="a regular expression",
        fix="Correct it. Or switch the regular expression off to search for the text itself.",
    ),
    "wrong-pattern/closed": Message(
        actual="{error} at character {position}: {where}",
        expected="a regular expression",
        fix=(
            "Open the bracket before it is closed, or write \\) to search for the bracket itself. Or switch the "
            "regular expression off to search for the text itself."
        ),
    ),
    "wrong-pattern/escape": Message(
        actual="{error} at character {position}: {where}",
        expected="a regular expression",
        fix=(
            "Write \\\\ to search for a backslash itself. Or switch the regular expression off to search for the text "
            "itself."
        ),
    ),
    "wrong-pattern/open": Message(
        actual="{error} at character {position}: {where}",
        expected="a regular expression",
        fix=(
            "Close the bracket, or write \\( or \\[ to search for the bracket itself. Or switch the regular expression "
            "off to search for the text itself."
        ),
    ),
    "wrong-pattern/range": Message(
        actual="{error} at character {position}: {where}",
        expected="a regular expression",
        fix=(
            "Swap the two ends of the range, or write \\- to search for the character itself. Or switch the regular "
            "expression off to search for the text itself."
        ),
    ),
    "wrong-pattern/re2": Message(
        actual="{reason} in {text}",
        expected="a regular expression of RE2, which has neither look-around (?=…) (?!…) (?<=…) nor backreferences \\1",
        fix="Write it without, or search in two steps.",
    ),
    "wrong-pattern/repeat": Message(
        actual="{error} at character {position}: {where}",
        expected="a regular expression",
        fix=(
            "A repetition (* + ? {{}}) needs something before it; write \\* to search for the character itself. Or "
            "switch the regular expression off to search for the text itself."
        ),
    ),
}
