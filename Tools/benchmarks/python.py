"""Measures the Python package, and prints ratios of times in this run. Tools/bench --python runs it.

usage: python.py TOOL CALLS FOLDER RECEIPTS
"""

import json
import subprocess
import sys
from pathlib import Path

from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

from receiptverify import Verifier, load_policy
from rounds import ROUNDS, shortest

CALLS = 2000


def minted(tool, folder, *arguments):
    command = [tool, "mint", "--authority", folder / "authority", *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def measure_calls(calls, folder, policy, receipts):
    """Compares a call from Python with one from C, for a receipt of each kind."""
    verifier = Verifier(policy)
    for kind, text in receipts.items():
        text = text.strip()
        (folder / kind).write_text(text)
        assert verifier.verify(text).is_verified, kind

        def call(text=text):
            for _ in range(CALLS):
                verifier.verify(text)

        command = [calls, folder / "policy.embedded", folder / kind, str(ROUNDS)]
        in_c, raw = map(int, subprocess.run(command, capture_output=True, check=True, text=True).stdout.split())
        in_python = shortest({"call": call})["call"] / CALLS * 1e9
        print(
            f"a call for {kind}: from Python {in_python / raw:.2f} raw P-256 verifications, from C {in_c / raw:.2f}; "
            f"Python adds {(in_python - in_c) / raw:.2f}")


def measure_many(tool, folder, policy, receipts):
    """Compares verify_many with verify-receipt batch, and with Apple's library, which verifies on one thread."""
    lines = folder / "receipts.txt"
    lines.write_text("\n".join(receipts) + "\n")
    verifier = Verifier(policy)
    apples = SignedDataVerifier(
        [(folder / "authority" / "root.der").read_bytes()], False, Environment.SANDBOX, "com.example.app", None)
    count, some = len(receipts), receipts[:200]

    def batch(jobs):
        subprocess.run(
            [tool, "batch", "--config", folder / "policy.json", "--jobs", str(jobs), lines], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, check=True)

    def many(jobs, payloads):
        results = verifier.verify_many(receipts, jobs=jobs, payloads=payloads)
        assert sum(result.is_verified for result in results) == count

    for jobs in (1, 2):
        times = shortest({
            "batch": lambda jobs=jobs: batch(jobs), "many": lambda jobs=jobs: many(jobs, False),
            "payloads": lambda jobs=jobs: many(jobs, True)})
        print(
            f"verify_many against verify-receipt batch, {jobs} threads: {times['many'] / times['batch']:.2f} times the "
            f"time, with payloads {times['payloads'] / times['batch']:.2f}")
    apple = shortest({"apple": lambda: [apples.verify_and_decode_signed_transaction(jws) for jws in some]})["apple"]
    ratio = apple / len(some) / (times["many"] / count)
    print(f"Apple's library against verify_many, 2 threads: {ratio:.0f} times the time")


def main(tool, calls, folder, count):
    folder = Path(folder)
    transactions = minted(tool, folder, "--count", "1000").split()
    receipts = {
        "a transaction": transactions[0], "a Google Play purchase": minted(tool, folder, "--kind", "play-purchase"),
        "an app receipt": minted(tool, folder, "--kind", "app-receipt")}
    policy = {
        "schema": "verify-receipt/config-1", "onlyGivenRoots": True,
        "roots": [
            {"file": "authority/root.der", "environments": ["Sandbox"]},
            {"file": "authority/app-receipt-root.der", "environments": ["Sandbox"]}],
        "apps": [{
            "bundleId": "com.example.app", "environments": ["Sandbox"], "playPackage": "com.example.app",
            "playKeyFile": "authority/play-key.txt"}]}
    (folder / "policy.json").write_text(json.dumps(policy))
    embedded = load_policy(folder / "policy.json")
    (folder / "policy.embedded").write_text(json.dumps(embedded))
    print("shortest times of this run")
    measure_calls(calls, folder, embedded, receipts)
    measure_many(tool, folder, embedded, [transactions[index % len(transactions)] for index in range(count)])


main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
