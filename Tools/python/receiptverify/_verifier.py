"""The verifier."""

from __future__ import annotations

import base64
import functools
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any

from ._library import Handle, MisuseError
from ._result import Result, read_lines

Receipt = str | bytes | bytearray | memoryview | Mapping[str, Any]
"""A receipt: a JWS, an app receipt in DER or base64, or the JSON of a notification or a Google Play purchase."""

KINDS = (
    "transaction", "renewalInfo", "appTransaction", "notification", "realtimeRequest", "playPurchase", "appReceipt",
)
"""The kinds of receipts."""

_RECEIPT_LIMIT = 16_777_216
# A chunk has work for some threads, and results that are not much larger than it.
_CHUNK_SIZE = 8_388_608
_CHUNK_COUNT = 8_192
# A longer line is not plain: nearly all receipts are shorter.
_PLAIN_SIZE = 65_536
_PAYLOADS = 1


class Verifier:
    """Verifies receipts by a policy.

    Threads can share a verifier: a call releases Python's global lock, so ``asyncio.to_thread(verifier.verify, jws)``
    blocks no event loop. After ``os.fork()``, a child gets a verifier of its own with the same policy at its first call.

    A receipt of any content has a result. Exceptions are for misuse: :class:`PolicyError`, :class:`MisuseError` and
    ``TypeError``; and for a system without memory.
    """

    def __init__(
        self, policy: Mapping[str, Any] | str | bytes, *, folder: str | os.PathLike[str] | None = None,
    ) -> None:
        """Creates a verifier.

        :param policy: The contents of a policy file, as ``verify-receipt --config`` reads it: a dict, or JSON.
        :param folder: The folder of the files that the policy names; without it, no file is read.
        :raises PolicyError: The policy cannot be used.
        """
        if isinstance(policy, Mapping):
            policy = json.dumps(dict(policy))
        self._policy = policy.encode("utf-8", "surrogatepass") if isinstance(policy, str) else bytes(policy)
        self._folder = b"" if folder is None else os.fsencode(folder)
        self._handle: Handle | None = self._make_handle()

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Verifier:
        """Creates a verifier by a policy file; the files that it names are relative to its folder."""
        path = Path(path)
        return cls(path.read_bytes(), folder=path.resolve().parent)

    def _make_handle(self) -> Handle:
        return Handle(self._policy, self._folder)

    def _current(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise MisuseError("the verifier is closed")
        if not handle.is_of_parent:
            return handle
        fresh = self._make_handle()
        self._handle = fresh
        return fresh

    def close(self) -> None:
        """Frees the verifier as soon as no call uses it. Later calls raise MisuseError."""
        self._handle = None

    def __enter__(self) -> Verifier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Verification

    def verify(self, receipt: Receipt, kind: str | None = None) -> Result:
        """Verifies one receipt.

        :param kind: The kind that the receipt must have, one of ``KINDS``; by default any that the policy accepts.
        :raises MisuseError: The kind does not exist, or the policy does not accept it.
        """
        # Nothing that is longer can be a receipt: what is left is too large too.
        text = self._current().verify(_bytes(receipt)[:_RECEIPT_LIMIT], (kind or "").encode())
        return Result.of(json.loads(text))

    def verify_many(
        self, receipts: Iterable[Receipt], *, jobs: int | None = None, payloads: bool = True,
    ) -> Iterator[Result]:
        """Verifies receipts on several threads, and yields one result for each, in their order.

        It reads some thousand receipts ahead, and keeps no more in memory. A signature costs about half of what it costs
        in :meth:`verify`.

        :param jobs: The number of threads; by default that of the processors.
        :param payloads: Whether verified results have the payload.
        """
        count = min(jobs if jobs is not None else os.cpu_count() or 1, 1024)
        if count < 1:
            raise MisuseError("jobs must be at least 1")
        return self._results(receipts, count, payloads)

    def _results(self, receipts: Iterable[Receipt], jobs: int, payloads: bool) -> Iterator[Result]:
        earlier: _Running | None = None
        for chunk in _chunks(receipts):
            running = _Running(functools.partial(self.verify_rows, chunk, jobs=jobs, payloads=payloads))
            running.start()
            # The results of a chunk are read while the next one is verified.
            if earlier is not None:
                yield from read_lines(earlier.result())
            earlier = running
        if earlier is not None:
            yield from read_lines(earlier.result())

    def verify_rows(self, receipts: Sequence[Receipt], *, jobs: int, payloads: bool) -> bytes:
        """Returns a line with the result of each receipt; for the package itself.

        Nearly all receipts are short base64, whose plain lines cost less than half of what JSON costs. The others are
        verified as JSON.
        """
        flags = _PAYLOADS if payloads else 0
        if (text := _plain_lines(receipts)) is not None:
            return self._verified(text, len(receipts), b"", jobs, flags)
        lines = [_plain_lines([receipt]) for receipt in receipts]
        others = [_json_line(receipt) for receipt, line in zip(receipts, lines, strict=True) if line is None]
        short = [line for line in lines if line is not None]
        plain = self._verified(b"".join(short), len(short), b"", jobs, flags)
        in_json = self._verified(b"".join(others), len(others), b"receipt", jobs, flags)
        results = {True: iter(in_json.splitlines(True)), False: iter(plain.splitlines(True))}
        return b"".join(next(results[line is None]) for line in lines)

    def _verified(self, lines: bytes, count: int, field: bytes, jobs: int, flags: int) -> bytes:
        results = self._current().verify_lines(lines, field, jobs, flags) if count else b""
        found = results.count(b"\n")
        if found != count:
            raise RuntimeError(f"{found} results for {count} receipts")
        return results

    def statistics(self) -> dict[str, Any]:
        """Returns the number of results by verdict and code since the verifier was created, and those of its key cache."""
        statistics: dict[str, Any] = json.loads(self._current().statistics())
        return statistics


def _bytes(receipt: Receipt) -> bytes:
    if isinstance(receipt, str):
        # Half of a surrogate pair is not UTF-8, and the library rejects it.
        return receipt.encode("utf-8", "surrogatepass")
    if isinstance(receipt, Mapping):
        return json.dumps(dict(receipt)).encode()
    if isinstance(receipt, bytes):
        return receipt
    if isinstance(receipt, bytearray | memoryview):
        return bytes(receipt)
    raise TypeError(f"a receipt is text, bytes or a mapping, not {type(receipt).__name__}")


def _chunks(receipts: Iterable[Receipt]) -> Iterator[list[Receipt]]:
    """Returns the receipts in lists that are worth a call on several threads, and need little memory."""
    chunk: list[Receipt] = []
    size = 0
    for receipt in receipts:
        chunk.append(receipt)
        if isinstance(receipt, str):
            size += len(receipt)
        elif isinstance(receipt, Mapping):
            size += len(json.dumps(dict(receipt)))
        elif isinstance(receipt, Sized):
            size += len(receipt)
        if size >= _CHUNK_SIZE or len(chunk) >= _CHUNK_COUNT:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


# What ends a line, what JSON and a blank cell are written with, and what base64 never has.
_SPECIAL = (b"\r", b'"', b"\0", b" ", b"\t")


def _plain_lines(receipts: Sequence[Any]) -> bytes | None:
    """Returns receipts as lines that are the same to the library as their texts in JSON; None if one has no such line.

    A short text can be a word such as NULL.
    """
    types = set(map(type, receipts))
    if types not in ({str}, {bytes}):
        return None
    end = "\n" if types == {str} else b"\n"
    lines = end.join([*receipts, end[:0]])
    if not lines.isascii() or any(end in receipt for receipt in receipts):
        return None
    if not all(not size or 16 <= size <= _PLAIN_SIZE for size in map(len, receipts)):
        return None
    text = lines.encode() if isinstance(lines, str) else lines
    return None if any(byte in text for byte in _SPECIAL) else text


def _json_line(receipt: Receipt) -> bytes:
    """Returns a line with a JSON object that contains a receipt."""
    if isinstance(receipt, Mapping):
        return json.dumps({"receipt": dict(receipt)}).encode() + b"\n"
    if isinstance(receipt, str):
        text = receipt
    else:
        content = _bytes(receipt)
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = base64.b64encode(content).decode()
    return json.dumps({"receipt": text}).encode() + b"\n"


class _Running(threading.Thread):
    """A call on a thread of its own."""

    def __init__(self, call: Callable[[], bytes]) -> None:
        super().__init__(name="receiptverify")
        self._call = call
        self._result: bytes | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._result = self._call()
        except BaseException as error:
            self._error = error

    def result(self) -> bytes:
        """Waits for the call, and returns what it has returned or raises what it has raised."""
        self.join()
        if self._error is not None:
            raise self._error
        # A child after fork() has no thread of its parent.
        return self._call() if self._result is None else self._result
