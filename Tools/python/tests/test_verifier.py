"""The verifier, its results and what it refuses."""

import asyncio
import copy
import dataclasses
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading

import pytest
from conftest import SAMPLES

import receiptverify
from receiptverify import KINDS, MisuseError, PolicyError, Verdict, Verifier


def test_a_verified_transaction_has_its_payload_and_its_root(verifier, transaction):
    result = verifier.verify(transaction)
    assert result.is_verified and result.verdict is Verdict.VERIFIED
    assert (result.code, result.explanation, result.kind) == (None, None, "transaction")
    assert result.payload["transactionId"] == result.members["transactionId"] == "200000000000042"
    assert result.anchor.built_in is False and len(result.anchor.sha256) == 64
    assert verifier.verify(transaction.encode()) == verifier.verify(bytearray(transaction, "ascii")) == result
    assert verifier.verify(transaction, "transaction") == result


def test_a_tampered_transaction_has_a_reason_and_no_payload(verifier, tampered):
    result = verifier.verify(tampered)
    assert result.verdict == "unverified" and not result.is_verified
    assert result.code == "signature-invalid" and result.explanation
    assert result.payload is None and result.kind is None


def test_receipts_of_every_shape_are_read(verifier, notification, play_purchase):
    for receipt, kind in ((notification, "notification"), (play_purchase, "playPurchase")):
        result = verifier.verify(receipt)
        assert result.kind == kind, result
        assert [many.kind for many in verifier.verify_many([receipt])] == [kind]
    assert verifier.verify(notification).nested[0].result.is_verified


def test_many_results_are_those_of_single_receipts_in_their_order(verifier, transaction, tampered, notification):
    receipts = [transaction, tampered, notification, "", "no receipt", b"\xff\xfe", transaction + "\n", "\ud800"] * 100
    for jobs in (1, 4, None):
        results = list(verifier.verify_many(receipts, jobs=jobs))
        assert len(results) == len(receipts)
        for receipt, result in zip(receipts[:8], results, strict=False):
            single = verifier.verify(receipt)
            assert (result.verdict, result.payload, result.anchor) == (single.verdict, single.payload, single.anchor)
        assert results[:8] * 100 == results
    assert next(verifier.verify_many([transaction], payloads=False)).payload is None
    assert list(verifier.verify_many([])) == []


def test_a_result_of_many_is_a_whole_one(verifier, transaction, tampered):
    def results():
        return list(verifier.verify_many([transaction, tampered]))

    for result, single in zip(results(), map(verifier.verify, (transaction, tampered)), strict=True):
        assert result.is_verified == single.is_verified
    for read in (pickle.dumps, copy.deepcopy, repr, dataclasses.asdict):
        assert [read(result) for result in results()] == [read(result) for result in results()]
    assert [pickle.loads(pickle.dumps(result)) for result in results()] == results()
    assert "signature-invalid" in repr(results()[1])
    assert dataclasses.replace(results()[1], code=None).explanation == results()[1].explanation
    # Two threads can find at once that a member is not read yet.
    shared = results()[1]
    assert [type(shared).__getattr__(shared, "code") for _ in range(2)] == ["signature-invalid"] * 2
    with pytest.raises(AttributeError, match="payloads"):
        _ = results()[0].payloads
    with pytest.raises(dataclasses.FrozenInstanceError):
        results()[1].verdict = Verdict.VERIFIED


def test_each_receipt_of_many_is_verified_once_of_any_type(policy, transaction, tampered):
    with Verifier(policy, folder=SAMPLES) as verifier:
        receipts = [transaction, {"signedPayload": tampered}, tampered.encode(), bytearray(transaction.encode()), ""]
        results = list(verifier.verify_many(receipts))
        assert [result.verdict for result in results] == [verifier.verify(receipt).verdict for receipt in receipts]
        assert verifier.statistics()["total"] == 2 * len(receipts)


def test_more_receipts_than_one_call_takes_are_read_as_they_are_needed(verifier, tampered):
    taken = 0

    def receipts():
        nonlocal taken
        for _ in range(20_000):
            taken += 1
            yield tampered

    results = verifier.verify_many(receipts(), jobs=2)
    assert taken == 0
    next(results)
    assert 0 < taken < 20_000
    assert sum(1 for _ in results) == 19_999


def test_misuse_raises_and_a_receipt_never_does(verifier, policy, transaction):
    for receipt in ("", b"", "x" * 20_000_000, b"\0" * 100, "\ud800", {}, {"signedPayload": None}):
        assert verifier.verify(receipt).verdict != Verdict.VERIFIED
    for kind in ("gift", "transaction\0", "\xe4"):
        with pytest.raises(MisuseError):
            verifier.verify(transaction, kind)
    for receipt in (None, 1, ["a"]):
        with pytest.raises(TypeError):
            verifier.verify(receipt)
        with pytest.raises(TypeError):
            list(verifier.verify_many([receipt]))
    with pytest.raises(MisuseError):
        verifier.verify_many([], jobs=0)
    for broken in ("", "{}", b"\xff", {**policy, "aps": []}, {**policy, "apps": []}, '{"schema": "\ud800"}'):
        with pytest.raises(PolicyError):
            Verifier(broken)
    with pytest.raises(PolicyError, match="root.der"):
        Verifier(policy)
    for kind in KINDS:
        assert verifier.verify("", kind).code == "empty"


def test_a_closed_verifier_is_not_used(policy, transaction):
    verifier = Verifier(policy, folder=SAMPLES)
    verifier.close()
    verifier.close()
    with pytest.raises(MisuseError, match="closed"):
        verifier.verify(transaction)


def test_a_policy_file_reads_what_it_names(policy, transaction, tmp_path):
    import json
    import shutil

    for name in ("root.der", "play-key.txt"):
        shutil.copy(SAMPLES / name, tmp_path / name)
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    assert Verifier.from_file(tmp_path / "policy.json").verify(transaction).is_verified


def test_statistics_count_results(verifier, transaction, tampered):
    verifier.verify(transaction)
    list(verifier.verify_many([transaction, tampered]))
    statistics = verifier.statistics()
    assert statistics["total"] == 3
    assert statistics["verdicts"] == {"verified": 2, "unverified": 1, "undecided": 0}
    assert statistics["keyCache"]["chainValidations"] == 1


def test_the_version_has_three_numbers():
    assert len(receiptverify.version().split(".")) == 3


# Threads and processes


def test_threads_share_a_verifier(verifier, transaction, tampered):
    expected = verifier.verify(transaction), verifier.verify(tampered)
    differences = []

    def run():
        for _ in range(200):
            if (verifier.verify(transaction), verifier.verify(tampered)) != expected:
                differences.append(1)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not differences


def test_a_call_releases_the_global_lock(verifier, transaction):
    """A thread that waits for another one during a call would never end if the call kept the lock."""
    lines = [transaction] * 4000
    progress = []

    def count():
        while not stop.is_set():
            progress.append(1)
            stop.wait(0.0001)

    stop = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    before = len(progress)
    chunk = list(verifier.verify_many(lines, jobs=1, payloads=False))
    during = len(progress) - before
    stop.set()
    thread.join()
    assert len(chunk) == 4000 and during > 10


def test_an_event_loop_verifies_in_threads(verifier, transaction):
    async def run():
        return await asyncio.gather(*(asyncio.to_thread(verifier.verify, transaction) for _ in range(50)))

    assert all(result.is_verified for result in asyncio.run(run()))


def _is_verified(verifier, receipt, results):
    results.put([verifier.verify(receipt).is_verified, next(verifier.verify_many([receipt], jobs=2)).is_verified])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_a_verifier_of_its_own(verifier, transaction):
    verifier.verify(transaction)
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            verifier.verify(transaction)

    busy = threading.Thread(target=keep_busy)
    busy.start()
    try:
        context = multiprocessing.get_context("fork")
        for _ in range(5):
            results = context.SimpleQueue()
            child = context.Process(target=_is_verified, args=(verifier, transaction, results))
            child.start()
            child.join(60)
            assert child.exitcode == 0
            assert results.get() == [True, True]
    finally:
        stop.set()
        busy.join()
    assert verifier.verify(transaction).is_verified


def _count_verified(results, count):
    count.put(sum(result.is_verified for result in results))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_goes_on_with_the_receipts_of_its_parent(verifier, transaction):
    results = verifier.verify_many([transaction] * 20_000, jobs=2)
    assert next(results).is_verified
    context = multiprocessing.get_context("fork")
    count = context.SimpleQueue()
    child = context.Process(target=_count_verified, args=(results, count))
    child.start()
    child.join(60)
    assert child.exitcode == 0 and count.get() == 19_999
    assert sum(result.is_verified for result in results) == 19_999


def test_an_error_of_a_receipt_comes_after_the_results_of_earlier_calls(verifier, tampered):
    results = verifier.verify_many([tampered] * 10_000 + [None], jobs=2)
    assert next(results).code == "signature-invalid"
    with pytest.raises(TypeError, match="NoneType"):
        list(results)


def test_the_process_ends_cleanly_with_an_open_verifier(transaction):
    program = (
        "import sys; from receiptverify import Verifier\n"
        "verifier = Verifier({'schema': 'verify-receipt/config-1', 'apps': [{'bundleId': 'a', 'environments': "
        "['Sandbox']}]})\n"
        "print(verifier.verify(sys.argv[1]).code)\n")
    run = subprocess.run(
        [sys.executable, "-c", program, transaction], capture_output=True, text=True, env=os.environ, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "untrusted-root\n", "")


def test_the_package_does_not_need_the_openssl_of_python():
    program = "import sys; sys.modules['ssl'] = None; import receiptverify"
    subprocess.run([sys.executable, "-c", program], check=True)
