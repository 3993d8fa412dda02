"""The functions of libreceiptverify, called through ctypes.

Every call releases Python's global lock while it runs. The library keeps no pointer after a call returns.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAME = "libreceiptverify.so.0"
MESSAGE_SIZE = 1024
OK, MISUSE, POLICY, STOPPED, RESOURCES = range(5)


class LibraryError(Exception):
    """A call of the library has failed; a receipt that is not verified is no failure."""


class MisuseError(LibraryError, ValueError):
    """An argument cannot be used."""


class PolicyError(LibraryError, ValueError):
    """The policy cannot be used; the message says where it is wrong."""


class ResourcesError(LibraryError, MemoryError):
    """The system has no thread left, or no memory for a part of the work."""


class _Text(ctypes.Structure):
    """The result of a call, which the library collects.

    In a callback of the library and in a ``__del__``, Python would run handlers of signals and lose what they raise. So
    there is no callback, and this class has no ``__del__``.
    """

    _fields_ = [("bytes", ctypes.c_void_p), ("length", ctypes.c_size_t), ("capacity", ctypes.c_size_t)]

    def content(self) -> bytes:
        return ctypes.string_at(self.bytes, self.length) if self.length else b""


_TEXT: list[Any] = [ctypes.c_char_p, ctypes.c_size_t]
_OUTPUT: list[Any] = [ctypes.c_void_p, ctypes.POINTER(_Text), ctypes.c_char_p, ctypes.c_size_t]


def _load() -> ctypes.CDLL:
    """Loads the library: that of the environment, that of the wheel, or the installed one."""
    own = Path(__file__).with_name(NAME)
    name = os.environ.get("RECEIPTVERIFY_LIBRARY") or (str(own) if own.exists() else NAME)
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"{error}; install OpenSSL 3 and Jansson (Debian: libssl3 libjansson4), or name the library with "
            "RECEIPTVERIFY_LIBRARY") from error
    library.receiptverify_version.restype = ctypes.c_char_p
    library.receiptverify_collect.argtypes = [ctypes.POINTER(_Text), ctypes.c_char_p, ctypes.c_size_t]
    library.receiptverify_create.argtypes = [
        *_TEXT, *_TEXT, ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t]
    library.receiptverify_verify.argtypes = [ctypes.c_void_p, *_TEXT, *_TEXT, *_OUTPUT]
    library.receiptverify_verify_lines.argtypes = [
        ctypes.c_void_p, *_TEXT, *_TEXT, ctypes.c_uint, ctypes.c_uint, *_OUTPUT]
    library.receiptverify_statistics.argtypes = [ctypes.c_void_p, *_OUTPUT]
    library.receiptverify_free.argtypes = [ctypes.c_void_p]
    library.receiptverify_free.restype = None
    return library


library = _load()
_collect = ctypes.cast(library.receiptverify_collect, ctypes.c_void_p)


def version() -> str:
    """Returns the version of the library."""
    text: bytes = library.receiptverify_version()
    return text.decode()


def _raise(status: int, message: ctypes.Array[ctypes.c_char]) -> None:
    if status == OK:
        return
    kind = {MISUSE: MisuseError, POLICY: PolicyError}.get(status, ResourcesError)
    raise kind(message.value.decode("utf-8", "replace"))


class Handle:
    """A verifier of the library, which is freed with the last reference: never while a call uses it."""

    def __init__(self, policy: bytes, folder: bytes) -> None:
        self._address = ctypes.c_void_p()
        # A child after fork() has no use for the verifier of its parent, and does not free it.
        self._process = os.getpid()
        message = ctypes.create_string_buffer(MESSAGE_SIZE)
        _raise(
            library.receiptverify_create(
                policy, len(policy), folder, len(folder), ctypes.byref(self._address), message, MESSAGE_SIZE),
            message)

    @property
    def is_of_parent(self) -> bool:
        return self._process != os.getpid()

    def __del__(self) -> None:
        address = getattr(self, "_address", None)
        if address and os.getpid() == self._process:
            library.receiptverify_free(address)

    def _call(self, function: Callable[..., int], *arguments: object) -> bytes:
        text = _Text()
        message = ctypes.create_string_buffer(MESSAGE_SIZE)
        try:
            _raise(function(self._address, *arguments, _collect, ctypes.byref(text), message, MESSAGE_SIZE), message)
            return text.content()
        finally:
            library.receiptverify_collect(ctypes.byref(text), None, 0)

    def verify(self, receipt: bytes, kind: bytes) -> bytes:
        return self._call(library.receiptverify_verify, receipt, len(receipt), kind, len(kind))

    def verify_lines(self, lines: bytes, field: bytes, jobs: int, flags: int) -> bytes:
        return self._call(
            library.receiptverify_verify_lines, lines, len(lines), field, len(field), jobs, flags)

    def statistics(self) -> bytes:
        return self._call(library.receiptverify_statistics)
