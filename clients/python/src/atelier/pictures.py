"""Pictures in bodies: ids, or files that are uploaded first."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from os import PathLike
from typing import Any, BinaryIO, Union

PictureFile = Union[bytes, PathLike[str], BinaryIO]
"""A picture to upload: bytes, a `pathlib.Path`, or a file that is open for reading bytes."""

Picture = Union[str, PictureFile]
"""The value of a picture field: an id that the service knows, or a picture to upload."""


def is_picture_file(value: object) -> bool:
    return isinstance(value, (bytes, PathLike)) or hasattr(value, "read")


def bytes_of(file: PictureFile) -> bytes:
    """The whole file in memory, so that it can be sent again: pictures are at most 25 MiB."""
    if isinstance(file, bytes):
        return file
    if isinstance(file, PathLike):
        with open(file, "rb") as opened:
            return opened.read()
    return file.read()


async def with_uploads(body: Any, upload: Callable[[PictureFile], Awaitable[str]]) -> Any:
    """The body with each file replaced by the result of `upload`. The same file is uploaded once."""
    uploaded: dict[PictureFile, str] = {}

    async def replace(value: Any) -> Any:
        if is_picture_file(value):
            if value not in uploaded:
                uploaded[value] = await upload(value)
            return uploaded[value]
        if isinstance(value, dict):
            return {name: await replace(part) for name, part in value.items()}
        if isinstance(value, (list, tuple)):
            return [await replace(part) for part in value]
        return value

    return await replace(body)
