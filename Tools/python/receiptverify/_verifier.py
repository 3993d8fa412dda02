"""The verifier."""

from __future__ import annotations

import base64
import functools
import json
import operator
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ._ahead import ahead
from ._library import Handle, MisuseError, PolicyError
from ._policy import complete
from ._result import Result, read_lines

Receipt = str | bytes | bytearray | memoryview | Mapping[str, Any] | None
"""A receipt: a JWS, an app receipt in DER or base64, or the JSON of a notification or a Google Play purchase.

None is a receipt that is missing, such as in a column of a table: ``undecided`` with the code ``empty``.
"""

KINDS = (
    "transaction", "renewalInfo", "appTransaction", "notification", "realtimeRequest", "playPurchase", "appReceipt",
)
"""The kinds of receipts."""

_RECEIPT_LIMIT = 16_777_216
# A chunk is large enough for a thread of its own, and its results are not much larger than it.
_CHUNK_SIZE = 2_097_152
_CHUNK_COUNT = 2_048
# The library takes 1 GiB of lines; their results need memory too.
_GROUP_SIZE = 67_108_864
# A longer line is not plain: nearly all receipts are shorter.
_PLAIN_SIZE = 65_536
_PAYLOADS = 1


class Verifier:
    """Verifies receipts by a policy.

    Threads can share a verifier: a call releases Python's global lock, so ``asyncio.to_thread(verifier.verify, jws)``
    blocks no event loop. After ``os.fork()``, a child gets a verifier of its own at its first call, with
    the policy of its parent.

    A receipt of any content has a result. Exceptions are for misuse: :class:`PolicyError`, :class:`MisuseError` and
    ``TypeError``; and for a system without a thread left.
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
            policy = policy_json(policy)
        if not isinstance(policy, str | bytes | bytearray | memoryview):
            raise TypeError(
                f"a policy is a dict or JSON, not {type(policy).__name__}; for a file, use Verifier.from_file(path)")
        content = policy.encode("utf-8", "surrogatepass") if isinstance(policy, str) else bytes(policy)
        if b"{" not in content:
            raise PolicyError("a policy is a JSON object; for a file, use Verifier.from_file(path) or load_policy(path)")
        # A child after fork() verifies by the same policy, even if the files have changed.
        self._policy = content if folder is None else complete(content, folder)
        self._handle: Handle | None = self._make_handle()

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Verifier:
        """Creates a verifier by a policy file; the files that it names are relative to its folder."""
        path = Path(path)
        return cls(path.read_bytes(), folder=path.parent)

    def _make_handle(self) -> Handle:
        return Handle(self._policy, b"")

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

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process gets a verifier of its own with the same policy."""
        return Verifier, (self._policy,)

    # Verification

    def verify(self, receipt: Receipt, kind: str | None = None) -> Result:
        """Verifies one receipt.

        :param kind: The kind that the receipt must have, one of ``KINDS``; by default any that the policy accepts.
        :raises MisuseError: The kind does not exist, or the policy does not accept it.
        """
        if kind is not None and kind not in KINDS:
            raise MisuseError(f"there is no kind {kind!r}; there are {', '.join(KINDS)}")
        # Nothing that is longer can be a receipt: what is left is too large too.
        text = self._current().verify(_bytes(receipt)[:_RECEIPT_LIMIT], (kind or "").encode())
        return Result.of(json.loads(text))

    def verify_many(
        self, receipts: Iterable[Receipt], *, jobs: int | None = None, payloads: bool = True,
    ) -> Iterator[Result]:
        """Verifies receipts on several threads, and yields one result for each, in their order.

        It reads up to 2 MiB of receipts ahead for each thread, and keeps little more in memory. A signature costs about
        half of what it costs in :meth:`verify`. An error of the iterable is raised after the results of the receipts
        before it.

        :param jobs: The number of threads; by default that of the processors.
        :param payloads: Whether verified results have the payload.
        :raises TypeError: ``receipts`` is one receipt.
        """
        if isinstance(receipts, str | bytes | bytearray | memoryview | Mapping):
            raise TypeError("verify_many takes a list or another iterable of receipts; for one receipt, use verify")
        return self._results(receipts, thread_count(jobs), payloads)

    def _results(self, receipts: Iterable[Receipt], jobs: int, payloads: bool) -> Iterator[Result]:
        calls = (functools.partial(self.verify_rows, chunk, jobs=1, payloads=payloads) for chunk in _chunks(receipts))
        for results in ahead(calls, jobs):
            yield from read_lines(results)

    def verify_rows(self, receipts: Sequence[str | bytes], *, jobs: int, payloads: bool) -> bytes:
        """Returns a line with the result of each receipt; for the package itself.

        Nearly all receipts are short base64, whose plain lines cost less than half of what JSON costs. The others are
        verified as JSON.
        """
        flags = _PAYLOADS if payloads else 0
        if (text := _plain_lines(receipts)) is not None:
            return self._verified(text, len(receipts), b"", jobs, flags)
        parts: list[bytes] = []
        for group in _groups(receipts):
            plain = [row.line for row in group if row.is_plain]
            in_json = [row.line for row in group if not row.is_plain]
            results = {
                True: iter(self._verified(b"".join(plain), len(plain), b"", jobs, flags).splitlines(True)),
                False: iter(self._verified(b"".join(in_json), len(in_json), b"receipt", jobs, flags).splitlines(True))}
            parts += [next(results[row.is_plain]) for row in group]
        return b"".join(parts)

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


def policy_json(policy: Mapping[str, Any]) -> str:
    """Returns the JSON of a policy, the same for each order of its members.

    :raises PolicyError: It is no JSON.
    """
    try:
        return json.dumps(dict(policy), sort_keys=True)
    except (RecursionError, TypeError, ValueError) as error:
        raise PolicyError(f"the policy cannot be written as JSON: {error}") from None


def thread_count(jobs: int | None) -> int:
    """Returns the number of threads that an argument ``jobs`` asks for."""
    count = min(operator.index(jobs) if jobs is not None else os.cpu_count() or 1, 1024)
    if count < 1:
        raise MisuseError("jobs must be at least 1")
    return count


class _Object(str):
    """The JSON of a receipt that is a mapping."""


# Deeper than any receipt, and than the library reads.
_TOO_DEEP = _Object('{"": ' + "[" * 1_000 + "]" * 1_000 + "}")


def _object(receipt: Mapping[Any, Any]) -> _Object:
    """Returns the JSON of a receipt that is a mapping; what JSON does not have cannot be part of one, and becomes null.

    A mapping that cannot be written, such as one that contains itself, has the verdict of one that is nested too deep.
    """
    try:
        return _Object(json.dumps(dict(receipt), skipkeys=True, default=lambda _: None))
    except MemoryError:
        raise
    except Exception:
        return _TOO_DEEP


def _fixed(receipt: Receipt) -> str | bytes:
    """Returns the content of a receipt at this moment: a caller can use its buffer or its dict for the next one."""
    if type(receipt) is str or type(receipt) is bytes:
        return receipt
    if receipt is None:
        return ""
    if isinstance(receipt, Mapping):
        return _object(receipt)
    if isinstance(receipt, str):
        return str.encode(receipt, "utf-8", "surrogatepass")
    if isinstance(receipt, bytes | bytearray | memoryview):
        return bytes(memoryview(receipt))
    raise TypeError(f"a receipt is text, bytes or a mapping, not {type(receipt).__name__}")


def _bytes(receipt: Receipt) -> bytes:
    fixed = _fixed(receipt)
    # Half of a surrogate pair is not UTF-8, and the library rejects it.
    return fixed if isinstance(fixed, bytes) else fixed.encode("utf-8", "surrogatepass")


def _chunks(receipts: Iterable[Receipt]) -> Iterator[list[str | bytes]]:
    """Returns the receipts in lists, each of which is worth a call and needs little memory.

    An error of the receipts comes after the list of those before it.
    """
    chunk: list[str | bytes] = []
    size = 0
    error: Exception | None = None
    source = iter(receipts)
    while True:
        try:
            receipt = _fixed(next(source))
        except StopIteration:
            break
        except Exception as raised:
            error = raised
            break
        chunk.append(receipt)
        size += len(receipt)
        if size >= _CHUNK_SIZE or len(chunk) >= _CHUNK_COUNT:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
    if error is not None:
        raise error


class _Row(NamedTuple):
    """A line for the library."""

    line: bytes
    is_plain: bool


def _groups(receipts: Iterable[str | bytes]) -> Iterator[list[_Row]]:
    """Returns the lines of receipts in lists that one call takes: JSON can be six times as long as its text."""
    group: list[_Row] = []
    size = 0
    for receipt in receipts:
        plain = _plain_lines([receipt])
        row = _Row(_json_line(receipt), False) if plain is None else _Row(plain, True)
        if group and size + len(row.line) > _GROUP_SIZE:
            yield group
            group, size = [], 0
        group.append(row)
        size += len(row.line)
    if group:
        yield group


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


def _json_line(receipt: str | bytes) -> bytes:
    """Returns a line with a JSON object that contains a receipt."""
    if isinstance(receipt, _Object) and len(receipt) <= _RECEIPT_LIMIT:
        return b'{"receipt": ' + receipt.encode() + b"}\n"
    # Nothing that is longer can be a receipt: what is left is too large too.
    receipt = receipt[:_RECEIPT_LIMIT]
    if isinstance(receipt, bytes):
        try:
            receipt = receipt.decode()
        except UnicodeDecodeError:
            receipt = base64.b64encode(receipt).decode()
    return json.dumps({"receipt": receipt}).encode() + b"\n"
