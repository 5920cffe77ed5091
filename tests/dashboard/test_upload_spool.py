"""An upload where the disk of temporary files is full."""

from __future__ import annotations

import errno
import io

import pytest
from starlette import formparsers

from ragdash.dashboard.monitoring import upload_spool

CHUNKS = [bytes([number]) * 700 for number in range(10)]


class FullDisk(io.BytesIO):
    """Takes a chunk in parts, and no more than it has room for."""

    def __init__(self, room: int):
        super().__init__()
        self.room = room

    def write(self, data) -> int:
        if not (taken := min(len(data), self.room, 500)):
            raise OSError(errno.ENOSPC, "No space left on device")
        self.room -= taken
        return super().write(data[:taken])


@pytest.mark.parametrize(("room", "is_on_disk"), [(None, False), (0, False), (900, False), (3_000, False),
                                                  (7_000, True)])
def test_an_upload_is_whole_wherever_the_disk_fills_up(monkeypatch, room, is_on_disk):
    made = []

    def temporary_file(buffering):
        made.append(room)
        if room is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        return FullDisk(room)

    monkeypatch.setattr(upload_spool.tempfile, "TemporaryFile", temporary_file)
    spool = upload_spool.UploadSpool(max_size=1_000)
    assert [spool.write(chunk) for chunk in CHUNKS] == [700] * 10
    spool.seek(0)
    assert spool.read() == b"".join(CHUNKS)
    assert spool._rolled is is_on_disk and len(made) == 1, "not tried again"
    spool.close()


def test_small_uploads_stay_in_memory(monkeypatch):
    monkeypatch.setattr(upload_spool.tempfile, "TemporaryFile", None)
    with upload_spool.UploadSpool(max_size=7_000) as spool:
        for chunk in CHUNKS:
            spool.write(chunk)
        spool.seek(0)
        assert spool.read() == b"".join(CHUNKS)


def test_the_server_takes_uploads_so(monkeypatch):
    monkeypatch.setattr(formparsers, "SpooledTemporaryFile", None)
    upload_spool.use()
    assert formparsers.SpooledTemporaryFile is upload_spool.UploadSpool
