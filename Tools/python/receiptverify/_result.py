"""The results of verifications."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any


class Verdict(StrEnum):
    """Whether a receipt is accepted."""

    VERIFIED = "verified"
    """The store has signed the receipt, and it has what the policy requires."""
    UNVERIFIED = "unverified"
    """The receipt is rejected."""
    UNDECIDED = "undecided"
    """Nothing could be decided, such as without a key. This is no rejection."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """The root that a certificate chain ends at. Only the fingerprint identifies it."""

    subject: str
    sha256: str
    built_in: bool


# Nearly all receipts of a batch have the same root.
_anchor = functools.lru_cache(maxsize=16)(Anchor)


class _Line:
    """The line of a batch that a result is read from, when more than its verdict is asked for."""

    __slots__ = ("_line",)

    # Python calls it for a member that is not set. Type checkers look for members in the class only.
    if not TYPE_CHECKING:
        def __getattr__(self, name):
            if name not in _NAMES:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            complete = Result.of(_decode(self._line.decode())[0])
            for member in _NAMES:
                object.__setattr__(self, member, getattr(complete, member))
            # The line stays, because another thread can be reading it.
            return getattr(self, name)


@dataclass(frozen=True, slots=True)
class Result(_Line):
    """The outcome of verifying one receipt.

    Give the customer something only if ``is_verified``.
    """

    verdict: Verdict
    code: str | None
    """The stable name of the reason; None if the receipt is verified. ``verify-receipt codes`` lists them."""
    explanation: str | None
    """The reason in words, with what was expected and what was found; None if the receipt is verified."""
    payload: dict[str, Any] | None
    """What the store has signed; None unless the receipt is verified."""
    anchor: Anchor | None
    """The root of the certificate chain; None until chain and signature are verified, and for Google Play."""
    kind: str | None
    """The kind of receipt, such as "transaction"; None unless the receipt is verified."""
    nested: tuple[NestedResult, ...] = ()
    """The results of the receipts inside a notification."""
    members: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """All members of the result, as ``verify-receipt --json`` or ``verify-receipt batch`` writes them."""

    @property
    def is_verified(self) -> bool:
        """Whether the receipt is verified."""
        return self.verdict is Verdict.VERIFIED

    @property
    def identifiers(self) -> list[dict[str, str]]:
        """The identifiers of purchases in an input without a receipt: of each its kind, value and lookup."""
        return list(self.members.get("identifiers") or ())

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> Result:
        """Returns the result that a JSON object of the library describes."""
        anchor, nested = members.get("anchor"), members.get("nested")
        return cls(
            verdict=Verdict(members["verdict"]),
            code=members.get("code"),
            explanation=_explanation(members),
            payload=members.get("payload"),
            anchor=anchor and _anchor(anchor["subject"], anchor["sha256"], anchor["builtIn"]),
            kind=members.get("kind"),
            nested=tuple(NestedResult(inner["name"], cls.of(inner)) for inner in nested) if nested else (),
            members=members)


_NAMES = [member.name for member in fields(Result)]
_decode = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class NestedResult:
    """The result of a receipt inside a notification."""

    name: str
    """The member that contains the receipt, such as ``signedTransactionInfo``."""
    result: Result


def _explanation(members: Mapping[str, Any]) -> str | None:
    if members.get("code") is None:
        return None
    text = str(members.get("message") or members["code"])
    if members.get("certificate") is not None:
        text += f" (certificate {members['certificate']})"
    if members.get("expected") is not None:
        text += f"; expected: {shown(members['expected'])}"
    if members.get("actual") is not None:
        text += f"; found: {shown(members['actual'])}"
    return text


# What is found can be text of a receipt without a valid signature.
SHOWN_SIZE = 200


def shown(text: str) -> str:
    """Returns a text that can be written to a log: short, in one line, and without control characters."""
    cut = text if len(text) <= SHOWN_SIZE else f"{text[:SHOWN_SIZE]}… ({len(text)} characters)"
    if cut.isprintable():
        return cut
    return "".join(
        character if character.isprintable() else f"\\u{{{ord(character):x}}}" for character in cut)


_VERDICTS = {verdict.value.encode(): verdict for verdict in Verdict}
# Nothing before the verdict comes from a receipt.
_BEGINNING = re.compile(
    rb'\{"schema":"verify-receipt/batch-result-1","type":"result","source":"lines","line":\d+,"record":\d+,"item":1,'
    rb'"verdict":"(' + b"|".join(_VERDICTS) + rb')",')


def read_lines(lines: bytes) -> Iterator[Result]:
    """Returns the results that the lines of a batch describe; of each, only the verdict is read at once."""
    for line in lines.split(b"\n")[:-1]:
        beginning = _BEGINNING.match(line)
        if beginning is None:
            yield Result.of(json.loads(line))
            continue
        result = Result.__new__(Result)
        object.__setattr__(result, "verdict", _VERDICTS[beginning[1]])
        object.__setattr__(result, "_line", line)
        yield result
