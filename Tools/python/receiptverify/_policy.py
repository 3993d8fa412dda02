"""Policies that name no files."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ._library import Handle

# A text in a policy has at most 65,536 bytes, and a certificate far less.
_PEM_SIZE = 32_768
_CERTIFICATE = re.compile(rb"-----BEGIN ([A-Z0-9 ]*CERTIFICATE)-----.*?-----END \1-----", re.DOTALL)


def load_policy(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads a policy file with the files that it names, so that it can be used where they do not exist.

    Roots become members ``pem``, and Google Play keys members ``playKey``. No file is copied that is not one of these.

    :raises OSError: The policy file cannot be read.
    :raises PolicyError: The policy cannot be used, or a file that it names.
    """
    path = Path(path)
    policy: dict[str, Any] = json.loads(complete(path.read_bytes(), path.parent))
    return policy


def complete(policy: bytes, folder: str | os.PathLike[str]) -> bytes:
    """Returns a policy with the contents of the files that it names.

    :raises PolicyError: The policy cannot be used, or a file that it names.
    """
    folder = os.path.abspath(folder)
    # The library refuses what Python's reader of JSON lets pass, and files that are no certificates or keys.
    Handle(policy, os.fsencode(folder))
    content: dict[str, Any] = json.loads(policy)
    apps = content.get("apps", [])
    for owner in [content, *apps]:
        if "roots" in owner:
            owner["roots"] = [inner for root in owner["roots"] for inner in _embedded(root, folder)]
    if "distrust" in content:
        # Two files can have one certificate, which a policy names once.
        inner = [inner for entry in content["distrust"] for inner in _embedded(entry, folder)]
        content["distrust"] = [entry for place, entry in enumerate(inner) if entry not in inner[:place]]
    for app in apps:
        if "playKeyFile" in app:
            app["playKey"] = _key(_bytes(folder, app.pop("playKeyFile")))
    return json.dumps(content).encode()


def _bytes(folder: str, name: str) -> bytes:
    return Path(folder, name).read_bytes()


def _embedded(entry: Any, folder: str) -> Iterator[Any]:
    """Returns the entries for an entry that can name a file: several for a file of many certificates."""
    if not isinstance(entry, dict) or "file" not in entry:
        yield entry
        return
    others = {name: value for name, value in entry.items() if name != "file"}
    text = ""
    for pem in _certificates(_bytes(folder, entry["file"])):
        if text and len(text) + len(pem) > _PEM_SIZE:
            yield {**others, "pem": text}
            text = ""
        text += pem
    yield {**others, "pem": text}


def _certificates(content: bytes) -> list[str]:
    """Returns the certificates of a file as PEM, without the text around them."""
    found = [match[0].decode("ascii", "replace") + "\n" for match in _CERTIFICATE.finditer(content)]
    if found:
        return found
    # The module ssl does the same, but needs OpenSSL on the system.
    text = base64.b64encode(content).decode()
    lines = [text[start:start + 64] for start in range(0, len(text), 64)]
    return ["\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])]


def _key(content: bytes) -> str:
    """Returns the public key of a file, which is in DER or in text."""
    is_der = content[:1] == b"\x30" and content[1:2] >= b"\x80"
    return base64.b64encode(content).decode() if is_der else content.decode("ascii", "replace").strip()
