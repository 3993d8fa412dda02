"""The results of verifications."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


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


@dataclass(frozen=True, slots=True)
class Result:
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
        text += f"; expected: {members['expected']}"
    if members.get("actual") is not None:
        text += f"; found: {members['actual']}"
    return text
