"""The colors that a page is sent at each click, written down once."""

from __future__ import annotations

from functools import cache


def keep_theme_messages() -> None:
    """Let Streamlit build each section of the theme once, and copy it at each rerun: until its settings are read again.

    It went through all settings of the theme each time, a fifteenth of the processor time of a click.
    """
    from streamlit import config
    from streamlit.proto.NewSession_pb2 import CustomThemeConfig
    from streamlit.runtime import app_session

    build = app_session._populate_theme_msg

    @cache
    def built(section: str) -> CustomThemeConfig:
        message = CustomThemeConfig()
        build(message, section)
        return message

    def fill(message: CustomThemeConfig, section: str = "theme") -> None:
        if built(section).ByteSize():  # a section without settings is not sent
            message.MergeFrom(built(section))

    config.on_config_parsed(built.cache_clear, force_connect=True)
    app_session._populate_theme_msg = fill
