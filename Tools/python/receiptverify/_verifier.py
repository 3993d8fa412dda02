"""The verifier."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ._library import Handle, MisuseError
from ._result import Result

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
        return self._results(receipts, count, _PAYLOADS if payloads else 0)

    def _results(self, receipts: Iterable[Receipt], jobs: int, flags: int) -> Iterator[Result]:
        for results in self._chunks((_line(receipt) for receipt in receipts), jobs, flags):
            for result in results.split(b"\n")[:-1]:
                yield Result.of(json.loads(result))

    def verify_lines(self, lines: Iterable[bytes], *, jobs: int, payloads: bool) -> Iterator[bytes]:
        """Yields the lines of results for lines of :func:`lines_of`, some thousand at a time; for the package itself."""
        return self._chunks(lines, jobs, _PAYLOADS if payloads else 0)

    def verify_plain_lines(self, lines: bytes, count: int, *, jobs: int, payloads: bool) -> bytes:
        """Returns the lines of results for lines that are receipts; for the package itself."""
        return self._checked(self._current().verify_lines(lines, b"", jobs, _PAYLOADS if payloads else 0), count)

    def _chunks(self, lines: Iterable[bytes], jobs: int, flags: int) -> Iterator[bytes]:
        chunk: list[bytes] = []
        size = 0
        for line in lines:
            chunk.append(line)
            size += len(line)
            if size >= _CHUNK_SIZE or len(chunk) >= _CHUNK_COUNT:
                yield self._chunk(chunk, jobs, flags)
                chunk, size = [], 0
        if chunk:
            yield self._chunk(chunk, jobs, flags)

    def _chunk(self, lines: list[bytes], jobs: int, flags: int) -> bytes:
        return self._checked(self._current().verify_lines(b"".join(lines), b"receipt", jobs, flags), len(lines))

    @staticmethod
    def _checked(results: bytes, count: int) -> bytes:
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


def lines_of(receipts: Iterable[Receipt | None]) -> Iterator[bytes]:
    """Returns a line for each receipt, which is a blank one for None."""
    return (b"\n" if receipt is None else _line(receipt) for receipt in receipts)


def _line(receipt: Receipt) -> bytes:
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
