"""The command line of the generator."""

import argparse
from pathlib import Path

from . import audit, readme, samples
from .cases import FILES

OUTPUT = Path(__file__).resolve().parents[2] / "TestVectors"
# The fuzz targets write their own seeds.
FUZZ_SEEDS = "fuzz/"


def contents():
    """Returns the bytes of every generated file by its path below TestVectors/."""
    files = [build() for build in FILES]
    made = {file.name: file.encoded() for file in files}
    made.update(samples.contents())
    made["README.md"] = readme.text(files).encode()
    return made


def write(made):
    """Writes the files that changed and reports files that the generator does not write."""
    for name, octets in made.items():
        path = OUTPUT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != octets:
            path.write_bytes(octets)
    for stray in strays(made):
        print(f"generate-vectors: not a generated file: {stray}")
    return 0


def check(made):
    """Compares without writing; returns 1 when a file differs, is missing or is not a generated one."""
    different = [name for name, octets in made.items() if read(name) != octets] + strays(made)
    for name in different:
        print(f"generate-vectors: differs: {name}")
    return 1 if different else 0


def read(name):
    path = OUTPUT / name
    return path.read_bytes() if path.exists() else None


def strays(made):
    """Returns the files outside of fuzz/ that the generator does not write."""
    present = (path.relative_to(OUTPUT).as_posix() for path in OUTPUT.rglob("*") if path.is_file())
    return sorted({name for name in present if not name.startswith(FUZZ_SEEDS)} - set(made))


def main(arguments):
    parser = argparse.ArgumentParser(prog="generate-vectors", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 when a file differs")
    parser.add_argument("--audit", action="store_true", help="verify the files independently and count the codes")
    options = parser.parse_args(arguments)
    if options.audit:
        return audit.run(OUTPUT)
    made = contents()
    return check(made) if options.check else write(made)
