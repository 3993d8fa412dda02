"""The package's files that the tests share."""

import json
from pathlib import Path

import pytest

from receiptverify import Verifier

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "TestVectors" / "samples"


@pytest.fixture(scope="session")
def policy():
    """A policy for the samples, which names its files."""
    return {
        "schema": "verify-receipt/config-1", "onlyGivenRoots": True,
        "roots": [{"file": "root.der", "environments": ["Production", "Sandbox"]}],
        "apps": [{
            "bundleId": "com.example.app", "environments": ["Production", "Sandbox"], "playPackage": "com.example.app",
            "playKeyFile": "play-key.txt"}],
    }


@pytest.fixture
def verifier(policy):
    with Verifier(policy, folder=SAMPLES) as verifier:
        yield verifier


@pytest.fixture(scope="session")
def transaction():
    return (SAMPLES / "transaction.jws").read_text().strip()


@pytest.fixture(scope="session")
def tampered():
    return (SAMPLES / "tampered.jws").read_text().strip()


@pytest.fixture(scope="session")
def notification():
    return json.loads((SAMPLES / "notification.json").read_text())


@pytest.fixture(scope="session")
def play_purchase():
    return json.loads((SAMPLES / "play-purchase.json").read_text())
