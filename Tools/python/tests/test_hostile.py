"""Random damage: no input crashes the process, is verified, or takes memory that is not given back.

The environment variable HOSTILE_INPUTS sets the number of inputs.
"""

import os
import random
from pathlib import Path

from conftest import ROOT, SAMPLES

from receiptverify import Verdict

COUNT = int(os.environ.get("HOSTILE_INPUTS", "5000"))


def resident():
    """Returns the memory of the process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def seeds():
    files = [path for path in SAMPLES.iterdir() if path.suffix in (".jws", ".json")]
    files += [path for folder in ("jws", "input", "container", "play") for path in (ROOT / "TestVectors/fuzz" / folder).iterdir()]
    return [path.read_bytes()[:65536] for path in sorted(files) if path.is_file()]


def damaged(seed, source):
    """Returns a text with a few random changes, or parts of two texts."""
    text = bytearray(source.choice(seed))
    for _ in range(source.randint(1, 4)):
        place = source.randrange(len(text) + 1)
        match source.randrange(5):
            case 0:
                text[place:place + 1] = source.randbytes(1)
            case 1:
                del text[place:place + source.randint(1, 64)]
            case 2:
                text[place:place] = source.randbytes(source.randint(1, 16))
            case 3:
                text[place:place] = text[place:place + source.randint(1, 128)]
            case 4:
                other = source.choice(seed)
                text[place:] = other[source.randrange(len(other) + 1):]
    return bytes(text)


def test_damaged_inputs(verifier):
    source = random.Random(20261124)
    seed = [text for text in seeds() if text]
    originals = {text for text in seed if verifier.verify(text).is_verified}
    payloads = [verifier.verify(text).payload for text in originals]
    kinds = (None, "transaction", "notification", "appReceipt", "playPurchase")
    start = None
    for number in range(COUNT):
        # The first inputs fill the caches of the process.
        if number == COUNT // 4:
            start = resident()
        text = damaged(seed, source)
        result = verifier.verify(text, source.choice(kinds))
        if result.is_verified:
            # White space around a receipt is no damage; anything that is signed is as the store signed it.
            assert result.payload in payloads, text
        else:
            assert result.verdict in (Verdict.UNVERIFIED, Verdict.UNDECIDED) and result.payload is None
    assert resident() - start < 16_777_216


def test_damaged_lines(verifier):
    source = random.Random(7)
    seed = [text for text in seeds() if text]
    texts = [damaged(seed, source) for _ in range(min(COUNT, 50_000))]
    assert sum(1 for _ in verifier.verify_many(texts, jobs=4)) == len(texts)


def test_a_verifier_gives_its_memory_back(policy):
    from receiptverify import Verifier

    receipt = (SAMPLES / "transaction.jws").read_text()
    start = None
    for number in range(400):
        if number == 100:
            start = resident()
        assert Verifier(policy, folder=SAMPLES).verify(receipt).is_verified
    assert resident() - start < 8_388_608
