"""A secrets.toml that is there and cannot be read is unreadable for Streamlit too, whatever the reason."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from streamlit.errors import StreamlitSecretNotFoundError
from streamlit.runtime.secrets import Secrets

from ragdash.core.console import print_note


@cache
def tell_unreadable() -> None:
    """Let Streamlit treat bytes that are no UTF-8, a folder, a file that is shut and a number that is too long as it
    treats wrong TOML. It raised these errors at every connection, so that pages stayed blank. The log says each once.
    """
    parse = Secrets._parse_file_path

    def parsed(self: Secrets, path: str) -> tuple[Mapping[str, Any], bool]:
        try:
            return parse(self, path)
        except (OSError, ValueError, RecursionError) as error:  # Streamlit's own is an OSError
            _print_once(f"error: {error}" if isinstance(error, StreamlitSecretNotFoundError) else
                        f"error: {path} cannot be read: {getattr(error, 'strerror', None) or error}")
            raise StreamlitSecretNotFoundError("{path} cannot be read", path=path,
                                               error_id="failed-parsing-secrets-file") from None

    Secrets._parse_file_path = parsed


@cache
def _print_once(line: str) -> None:
    print_note(line)
