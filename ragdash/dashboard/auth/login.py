"""Login screen: sign in, access denied, or the signed-in user."""

from __future__ import annotations

import streamlit as st
from streamlit.errors import StreamlitAuthError

from ragdash.core.errors import InputError, Problem
from ragdash.dashboard.auth import roles
from ragdash.dashboard.widgets import elements
from ragdash.reporting.sentences import formatting as fmt

ROLES = {"admin": "may change and delete what is kept here", "editor": "may change what is kept here",
         "viewer": "may look at everything"}


def is_admitted() -> bool:
    """Whether the visitor may see the pages."""
    try:
        access = roles.access()
    except InputError:
        return False
    return access is None or bool(access.role(roles.user()))


def login_page() -> None:
    """Render the login, or why access is denied, in place of the pages."""
    st.title("ragdash", anchor=False)
    try:
        access = roles.access()
    except InputError as error:
        elements.problems(error.problems, "access")
        return
    user = roles.user()
    if not user.get("is_logged_in"):
        _log_in(access)
        return
    name = fmt.escape(str(user.get("email") or user.get("name") or "This account"))
    reason = "its address is not verified" if access.role({**user, "email_verified": True}) else (
        "it is not on the list of this server")
    st.warning(f"**{name}** is logged in, but {reason}. Ask the person who runs the server.", icon=":material/block:")
    _log_out()


def login_status() -> None:
    """Render the signed-in user and the logout button in the sidebar; nothing on a server without login."""
    access = roles.access()
    if access is None:
        return
    user = roles.user()
    with st.container(key="login"):
        st.caption(f"{fmt.escape(str(user['email']))} {ROLES[access.role(user)]}.")
        _log_out()


def _log_in(access: roles.Access) -> None:
    st.markdown("This server shows its pages to listed users.")
    for provider in access.providers:
        if st.button(f"Log in with {provider}" if provider else "Log in", key=f"login_{provider or 'default'}",
                     type="primary", icon=":material/login:"):
            _start(provider)
    st.caption("The login leads to the first page. If you followed a link, open it again afterwards.")


def _start(provider: str | None) -> None:
    try:
        st.login(provider)
    except StreamlitAuthError as error:
        reason = str(error).splitlines()[0].rstrip(".")
        elements.problems([Problem("no-login", {"reason": reason}, "secrets.toml")], "login")


def _log_out() -> None:
    st.button("Log out", key="log_out", icon=":material/logout:", on_click=roles.log_out)
