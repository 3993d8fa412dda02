"""Sends many requests through the Python program of the documentation, and breaks its processes meanwhile.

usage: check_client.py PROGRAM SAMPLES COUNT

verify_receipt.py, the program of the documentation, is in the current folder. Each answer must be the one that a single
batch gives to the same line. Prints the time for a request as p50 and p99. Exit code 1: an answer is wrong.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.getcwd())

from verify_receipt import VerifyReceipt

SEED = 13


def requests(samples, count):
    """Returns receipts of all kinds, every tenth of them hostile."""
    lines = [json.loads(line)["receipt"] for line in (samples / "receipts.jsonl").read_text().splitlines()]
    lines += [(samples / name).read_text().strip() for name in ("transaction.jws", "tampered.jws", "renewal-info.jws")]
    jws = lines[0]
    hostile = [
        "", " ", "\n", "\r\n\n", "\0", "\u2028", "\ud800", "a\nb\nc", '"', '"}\n{"receipt":"', "null", "[]" * 100,
        "[" * 100_000, '{"receipt":' * 1000, "e" * 300_000, "e" * 1_200_000, jws + "\n" + jws, jws[:-1], jws + ".", "eyJ",
        "..", "\x1b[31m", "ÿ" * 1000, None, True, 7, 1e300, [], {}, [jws, jws], {"receipt": jws}, [None] * 70,
    ]
    random.seed(SEED)
    return [random.choice(hostile if number % 10 == 9 else lines) for number in range(count)]


def expected_answers(program, options, receipts):
    text = "".join(json.dumps({"receipt": receipt}) + "\n" for receipt in receipts)
    command = [program, "batch", "-", "--every-record", "--field", "receipt", "--quiet", "--line-buffered", *options]
    output = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=False).stdout
    answers = [json.loads(line) for line in output.splitlines()]
    assert [answer["record"] for answer in answers] == list(range(1, len(receipts) + 1))
    return answers


class Breaker(VerifyReceipt):
    """Breaks the process of a request.

    Only for a stopped process, which cannot answer, the deadline is near: a slow machine changes no answer.
    """

    def __init__(self, *options, **settings):
        super().__init__(*options, **settings)
        self.faults = []
        self.starts = 0

    def _start(self):
        super()._start()
        self.starts += 1
        if self.faults and self.faults[0] == "stop the next":
            self.faults.pop(0)
            os.kill(self.child.pid, signal.SIGSTOP)

    def _ask(self, line, deadline):
        fault = "stop the next" if self.child is None else "stop"
        if fault in self.faults[:1]:
            deadline = time.monotonic() + 0.2
        if self.child is not None and self.faults:
            fault = self.faults.pop(0)
            if fault in ("kill", "kill and wait"):
                os.kill(self.child.pid, signal.SIGKILL)
                if fault == "kill and wait":
                    os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOWAIT)
            elif fault == "stop":
                os.kill(self.child.pid, signal.SIGSTOP)
            elif fault == "close":
                # The process gets half a line, and ends after the result for it.
                os.write(self.child.stdin.fileno(), line[: len(line) // 2])
                self.child.stdin.close()
        return super()._ask(line, deadline)


def main():
    program, samples, count = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    options = ["--root", str(samples / "root.der"), "--only-given-roots", "--bundle-id", "com.example.app"]
    receipts = requests(samples, count)
    expected = expected_answers(program, options, receipts)
    faults = {
        count // 8: ["kill"], count // 4: ["stop"], count * 3 // 8: ["kill and wait"], count // 2: ["kill", "kill"],
        count * 5 // 8: ["close"], count * 3 // 4: ["stop"] * 2,
    }
    wrong = 0
    unanswered = 0
    times = []
    with Breaker(*options, program=program, timeout=60.0) as verifier:
        for number, receipt in enumerate(receipts):
            verifier.faults = list(faults.get(number, []))
            start = time.perf_counter()
            answer = verifier.verify(receipt)
            times.append(time.perf_counter() - start)
            keys = ("verdict", "code", "transactionId", "bundleId", "signedDate")
            if any(answer.get(key) != expected[number].get(key) for key in keys):
                wrong += 1
                print(f"request {number}: {answer}, not {expected[number]}")
        starts = verifier.starts
        # Two processes in a row that give no answer: the request is answered all the same, and so is the next one.
        verifier.faults = ["stop", "stop the next"]
        unanswered += verifier.verify(receipts[0]) != {"verdict": "undecided", "code": "no-answer"}
        unanswered += verifier.verify(receipts[0])["verdict"] != expected[0]["verdict"]
    try:
        VerifyReceipt("--no-such-option", program=program).verify("x")
        unanswered += 1
    except RuntimeError:
        pass
    times.sort()
    p50, p99 = (times[int(len(times) * share)] * 1000 for share in (0.5, 0.99))
    print(f"{len(times)} requests, {starts} processes, {wrong} wrong; p50 {p50:.3f} ms, p99 {p99:.3f} ms, "
          f"slowest {times[-1] * 1000:.0f} ms")
    sys.exit(1 if wrong or unanswered or starts < 7 else 0)


main()
