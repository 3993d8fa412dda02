"""The verifier, its results and what it refuses."""

import asyncio
import base64
import copy
import dataclasses
import datetime
import functools
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import types

import pytest
from conftest import SAMPLES

import receiptverify
from receiptverify import KINDS, MisuseError, PolicyError, Verdict, Verifier, load_policy
from receiptverify._ahead import ahead


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
    for kind in ("gift", "transaction\0", "\xe4", "", 3):
        with pytest.raises(MisuseError, match="there is no kind"):
            verifier.verify(transaction, kind)
    for receipt in (1, ["a"]):
        with pytest.raises(TypeError):
            verifier.verify(receipt)
        with pytest.raises(TypeError):
            list(verifier.verify_many([receipt]))
    for one in (transaction, transaction.encode(), {"signedPayload": transaction}):
        with pytest.raises(TypeError, match="for one receipt, use verify"):
            verifier.verify_many(one)
    with pytest.raises(MisuseError):
        verifier.verify_many([], jobs=0)
    for path in ("policy.json", b"policy.json", ""):
        with pytest.raises(PolicyError, match="from_file"):
            Verifier(path)
    for path in (SAMPLES / "policy.json", None, 1):
        with pytest.raises(TypeError, match="from_file"):
            Verifier(path)
    for broken in ("", "{}", b"\xff", {**policy, "aps": []}, {**policy, "apps": []}, '{"schema": "\ud800"}'):
        with pytest.raises(PolicyError):
            Verifier(broken)
    with pytest.raises(PolicyError, match="root.der.*the folder of the policy was not given"):
        Verifier(policy)
    with pytest.raises(PolicyError, match="root.der does not exist"):
        Verifier(policy, folder="/")
    for kind in KINDS:
        assert verifier.verify("", kind).code == "empty"


def test_a_missing_receipt_is_empty(verifier, transaction):
    assert (verifier.verify(None).verdict, verifier.verify(None).code) == (Verdict.UNDECIDED, "empty")
    codes = [result.code for result in verifier.verify_many([transaction, None, b"\xff", None, transaction])]
    assert codes == [None, "empty", "format-unrecognized", "empty", None]


def test_an_input_without_a_receipt_has_its_identifiers(verifier, transaction):
    text = "order gpa.1234-5678-9012-34567 of 2000000812345678"
    expected = [("google-order", "GPA.1234-5678-9012-34567"), ("app-store-transaction", "2000000812345678")]
    for result in (verifier.verify(text), *verifier.verify_many([text])):
        assert (result.verdict, result.code) == (Verdict.UNDECIDED, "not-a-receipt")
        assert [(found["kind"], found["value"]) for found in result.identifiers] == expected
        assert all(found["lookup"] for found in result.identifiers)
    assert verifier.verify(transaction).identifiers == []


def test_a_verifier_is_pickled_with_its_policy(policy, transaction):
    with Verifier(policy, folder=SAMPLES) as verifier:
        copied = pickle.loads(pickle.dumps(verifier))
    assert copied.verify(transaction).is_verified
    assert copied.statistics()["total"] == 1


def test_a_closed_verifier_is_not_used(policy, transaction):
    verifier = Verifier(policy, folder=SAMPLES)
    verifier.close()
    verifier.close()
    with pytest.raises(MisuseError, match="closed"):
        verifier.verify(transaction)


def test_a_policy_file_reads_what_it_names(policy, transaction, tmp_path):
    for name in ("root.der", "play-key.txt"):
        shutil.copy(SAMPLES / name, tmp_path / name)
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    assert Verifier.from_file(tmp_path / "policy.json").verify(transaction).is_verified
    # As for verify-receipt, the folder is that of the link.
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "policy.json").symlink_to(tmp_path / "policy.json")
    for name in ("root.der", "play-key.txt"):
        with pytest.raises(PolicyError, match="does not exist"):
            Verifier.from_file(linked / "policy.json")
        shutil.copy(SAMPLES / name, linked / name)
    assert Verifier.from_file(linked / "policy.json").verify(transaction).is_verified


def test_a_file_of_a_policy_that_never_ends_is_refused(policy, tmp_path):
    os.mkfifo(tmp_path / "root.der")
    with pytest.raises(PolicyError, match="root.der is not a regular file"):
        Verifier(policy, folder=tmp_path)


def test_statistics_count_results(verifier, transaction, tampered):
    verifier.verify(transaction)
    list(verifier.verify_many([transaction, tampered]))
    statistics = verifier.statistics()
    assert statistics["total"] == 3
    assert statistics["verdicts"] == {"verified": 2, "unverified": 1, "undecided": 0}
    assert statistics["keyCache"]["chainValidations"] == 1


def test_the_version_has_three_numbers():
    assert len(receiptverify.version().split(".")) == 3


def test_a_buffer_or_a_dict_that_is_used_again_has_the_verdict_of_its_moment(verifier, transaction, tampered):
    texts = [tampered, tampered, transaction, tampered]
    expected = [result.code for result in verifier.verify_many(texts)]

    def buffers(view):
        buffer = bytearray(max(map(len, texts)))
        for text in texts:
            buffer[:] = text.encode().ljust(len(buffer))
            yield view(buffer)

    def mappings():
        mapping = {}
        for text in texts:
            mapping["signedPayload"] = text
            yield mapping

    for receipts in (buffers(lambda buffer: buffer), buffers(memoryview), mappings()):
        assert [result.code for result in verifier.verify_many(receipts)] == expected


def test_a_class_that_lies_about_its_content_is_read_as_what_it_is(verifier, transaction, tampered):
    class Text(str):
        def encode(self, *_):
            return transaction.encode()

    class Bytes(bytes):
        def __len__(self):
            return 10_000_000

        def __getitem__(self, _):
            return self

    for receipt in (Text(tampered), Bytes(tampered.encode())):
        assert verifier.verify(receipt).code == next(verifier.verify_many([receipt])).code == "signature-invalid"


def test_an_error_of_the_iterable_comes_after_the_results_before_it(verifier, transaction):
    def receipts(count):
        yield from [transaction] * count
        raise OSError("the file has ended")

    for count in (0, 1, 9_000):
        results = verifier.verify_many(receipts(count), jobs=2)
        assert all(next(results).is_verified for _ in range(count))
        with pytest.raises(OSError, match="ended"):
            next(results)


def test_one_call_runs_at_a_time_while_the_next_one_is_prepared():
    prepared, running, seen = threading.Event(), threading.Lock(), []

    def call(number):
        assert running.acquire(blocking=False)
        # The next call is there before this one ends.
        assert number > 0 or prepared.wait(60)
        for _ in range(20_000):
            os.sched_yield()
        running.release()
        seen.append(number)
        return number

    def calls():
        yield functools.partial(call, 0)
        prepared.set()
        yield functools.partial(call, 1)

    assert list(ahead(calls(), jobs=1)) == seen == [0, 1]


def test_receipts_of_any_size_stop_no_other(verifier, transaction):
    huge = ["x" * 20_000_000, "\0" * 20_000_000, b"\xff" * 20_000_000, {"signedPayload": "\0" * 20_000_000}]
    codes = [result.code for result in verifier.verify_many([transaction, *huge, transaction])]
    assert codes == [None, "too-large", "too-large", "too-large", "too-large", None]
    assert [verifier.verify(receipt).code for receipt in huge] == codes[1:5]


def test_more_lines_than_one_call_takes(verifier, transaction, monkeypatch):
    monkeypatch.setattr("receiptverify._verifier._GROUP_SIZE", 10_000)
    receipts = [transaction, "a line\nof text", "", {"signedPayload": transaction}] * 20
    codes = [result.code for result in verifier.verify_many(receipts)]
    assert codes == [verifier.verify(receipt).code for receipt in receipts]


def test_what_is_found_is_shown_in_one_short_line(verifier, transaction):
    def with_algorithm(name):
        header = base64.urlsafe_b64encode(json.dumps({"alg": name, "x5c": ["a"]}).encode()).decode().rstrip("=")
        return ".".join([header, *transaction.split(".")[1:]])

    for name in ("a\nb\x1b[31m\u2028\u202e", "b" * 50_000):
        receipt = with_algorithm(name)
        for result in (verifier.verify(receipt), next(verifier.verify_many([receipt]))):
            assert not result.is_verified
            assert result.explanation.isprintable() and len(result.explanation) < 600
            if name[0] == "a":
                assert "\\u{a}" in result.explanation and "\\u{1b}" in result.explanation


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
@pytest.mark.parametrize("change", ["replaced", "removed"])
def test_a_forked_child_has_the_policy_of_its_parent(policy, transaction, tmp_path, monkeypatch, change):
    for name in ("root.der", "play-key.txt"):
        shutil.copy(SAMPLES / name, tmp_path / name)
    (tmp_path / "policy.json").write_text(json.dumps(policy))
    monkeypatch.chdir(tmp_path)
    verifier = Verifier.from_file("policy.json")
    assert verifier.verify(transaction).is_verified
    (tmp_path / "root.der").unlink()
    if change == "replaced":
        (tmp_path / "root.der").write_bytes(b"no certificate")
    monkeypatch.chdir("/")
    context = multiprocessing.get_context("fork")
    results = context.SimpleQueue()
    child = context.Process(target=_is_verified, args=(verifier, transaction, results))
    child.start()
    child.join(60)
    assert child.exitcode == 0 and results.get() == [True, True]


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
    results = verifier.verify_many([tampered] * 10_000 + [1], jobs=2)
    assert next(results).code == "signature-invalid"
    with pytest.raises(TypeError, match="int"):
        list(results)


class Interruption(Exception):
    """What the handler of a signal raises."""


def test_a_handler_of_a_signal_can_raise_during_a_call(verifier, transaction):
    def interrupt(*_):
        raise Interruption

    former = signal.signal(signal.SIGALRM, interrupt)
    raised = 0
    try:
        for number in range(400):
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.00002 * (number % 20 + 1))
                for _ in range(10_000):
                    verifier.verify(transaction)
            except Interruption:
                raised += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)
    assert raised == 400
    assert verifier.verify(transaction).is_verified


def test_the_library_can_be_closed_after_a_call_on_several_threads():
    program = (
        "import _ctypes, ctypes, sys\n"
        "collect = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)(lambda *_: 0)\n"
        "for _ in range(20):\n"
        "    library = ctypes.CDLL(sys.argv[1]); verifier = ctypes.c_void_p(); policy = sys.argv[2].encode()\n"
        "    size = ctypes.c_size_t\n"
        "    arguments = policy, size(len(policy)), None, size(0), ctypes.byref(verifier), None, size(0)\n"
        "    assert library.receiptverify_create(*arguments) == 0\n"
        "    arguments = b'a\\nb\\nc\\nd', size(7), None, size(0), 4, 0, collect, None, None, size(0)\n"
        "    assert library.receiptverify_verify_lines(verifier, *arguments) == 0\n"
        "    library.receiptverify_free(verifier)\n"
        "    _ctypes.dlclose(library._handle)\n")
    policy = {"schema": "verify-receipt/config-1", "apps": [{"bundleId": "a", "environments": ["Sandbox"]}]}
    path = receiptverify._library.library._name
    run = subprocess.run([sys.executable, "-c", program, path, json.dumps(policy)], capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")


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


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return {"a": value}


class Failing(dict):
    """A mapping whose members cannot be read."""

    def keys(self):
        raise RuntimeError


def test_a_hostile_mapping_has_a_result_and_ends_no_batch(verifier, transaction, play_purchase):
    circular = {}
    circular["a"] = circular
    changing = types.MappingProxyType({"a": float("nan")})
    hostile = [
        nested(60), nested(900), nested(992), nested(5_000), nested(200_000), circular, {"a": 10 ** 5_000},
        {"a": {1, 2}}, {("a", "b"): 1}, {1: 2}, {"a": object()}, {"a": b"\xff"}, {"\ud800": "\ud800"}, changing, Failing(),
        {"a": [{"b": nested(2_000)}]},
    ]
    receipts = [entry for receipt in hostile for entry in (receipt, transaction)]
    results = list(verifier.verify_many(receipts, jobs=2))
    assert [result.is_verified for result in results] == [False, True] * len(hostile)
    assert all(not verifier.verify(receipt).is_verified for receipt in hostile)
    # A row of a database has columns beside the receipt.
    row = {**play_purchase, "created": datetime.datetime(2025, 6, 1), 7: None}
    assert verifier.verify(row).is_verified
    assert [result.is_verified for result in verifier.verify_many([row, transaction])] == [True, True]


def test_a_policy_that_is_no_json_is_an_error(policy):
    circular = dict(policy)
    circular["apps"] = circular
    for broken in (nested(5_000), circular, {**policy, "apps": object()}, {**policy, "strict": 10 ** 5_000}):
        with pytest.raises(PolicyError):
            Verifier(broken)


def test_a_policy_can_distrust_the_certificate_of_a_file(policy, transaction, tmp_path):
    with Verifier({**policy, "distrust": [{"file": "root.der"}]}, folder=SAMPLES) as verifier:
        assert verifier.verify(transaction).code == "certificate-distrusted"
        # A process without the file gets its contents.
        assert pickle.loads(pickle.dumps(verifier)).verify(transaction).code == "certificate-distrusted"
    path = tmp_path / "policy.json"
    for name in ("root.der", "play-key.txt"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    path.write_text(json.dumps({**policy, "distrust": [{"file": "root.der"}, {"file": "./root.der"}, "0a" * 32]}))
    loaded = load_policy(path)
    assert [isinstance(entry, str) or list(entry) == ["pem"] for entry in loaded["distrust"]] == [True, True]
    assert Verifier(loaded).verify(transaction).code == "certificate-distrusted"
