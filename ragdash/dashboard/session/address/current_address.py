"""The address that a message of the browser has, and the one that this session writes in its place.

A script run writes its choices to the address, and the browser learns of that a moment later. What is clicked in this
moment comes with the address of before. Taken for a step back, it would undo the choices of that run.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from ragdash.dashboard.session.keys import SENT_ADDRESSES

MOST_DELAY = 2.0  # seconds until the browser knows the address that was written, on a slow network or a busy machine


def parameters() -> dict[str, list[str]]:
    """The parameters of the address, as the message that began this script run has them."""
    return {key: st.query_params.get_all(key) for key in st.query_params}


def is_outdated() -> bool:
    """Whether this session has just replaced this address, and the browser did not know it when it sent the message."""
    written_at, _ = st.session_state.get(SENT_ADDRESSES, (-math.inf, []))
    return bool(_replaced(parameters())) and time.monotonic() - written_at < MOST_DELAY


def write(written: Mapping[str, Sequence[str]], keys: Collection[str]) -> None:
    """Write parameters in the place of all that have one of the keys; others stay."""
    address = parameters()
    new = {key: values for key, values in address.items() if key not in keys} | dict(written)
    replaced = _replaced(address) or [address]
    if replaced == [new]:
        st.session_state.pop(SENT_ADDRESSES, None)
        return
    st.session_state[SENT_ADDRESSES] = (time.monotonic(), [*replaced, new])
    st.query_params.from_dict(new)


def _replaced(address: Mapping[str, Sequence[str]]) -> list[Mapping[str, Sequence[str]]]:
    """The addresses that were sent since the browser knew the last one; none where it knows that, or has a new one."""
    _, addresses = st.session_state.get(SENT_ADDRESSES, (-math.inf, []))
    return addresses if address in addresses and address != addresses[-1] else []
