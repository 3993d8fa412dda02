"""Policies that name no files, for programs on other machines."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path
from typing import Any


def load_policy(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Reads a policy file with the files that it names, so that it can be used where they do not exist.

    Roots become members ``pem``, and Google Play keys members ``playKey``. What else the file has is checked when a
    verifier is made of it.

    :raises OSError: A file cannot be read.
    :raises ValueError: The policy is not a JSON object, or a root is not a certificate.
    """
    path = Path(path)
    policy = json.loads(path.read_text())
    if not isinstance(policy, dict):
        raise ValueError(f"{path} has no JSON object")
    folder = path.resolve().parent
    apps = [app for app in _list(policy.get("apps")) if isinstance(app, dict)]
    for owner in [policy, *apps]:
        for root in _list(owner.get("roots")):
            if isinstance(root, dict) and isinstance(root.get("file"), str):
                root["pem"] = _pem((folder / root.pop("file")).read_bytes())
    for app in apps:
        if isinstance(app.get("playKeyFile"), str):
            app["playKey"] = (folder / app.pop("playKeyFile")).read_text().strip()
    return policy


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _pem(certificate: bytes) -> str:
    if certificate.lstrip().startswith(b"-----BEGIN"):
        return certificate.decode()
    # The module ssl does the same, but needs OpenSSL on the system.
    text = base64.b64encode(certificate).decode()
    lines = [text[start:start + 64] for start in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
