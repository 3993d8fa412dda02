"""Builds a copy of the package with every mutation in it, and runs the tests of one after another."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import tomllib
from typing import NamedTuple

SWITCH = """\
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let activeMutation = unsafe getenv("MUTATION").map { name in unsafe String(cString: name) }

func isMutated(_ name: String) -> Bool { activeMutation == name }
"""

# Added to the copy's manifest: test targets that no mutation needs are not built.
MANIFEST_SUFFIX = """
let neededTests = [{names}]
package.targets.removeAll {{ target in target.type == .test && !neededTests.contains(target.name) }}
"""

TEST_EVENT = re.compile(r'Test (?P<test>"(?:[^"\\]|\\.)*"|\S+\)) .*?(?P<event>started|passed|failed|recorded)')
ALL_PASSED = re.compile(r"Test run with ([1-9]\d*) tests? .*passed")

REQUIREMENT = re.compile(r"\b(?:CARD|OTP|PFC|PSE|PWF)-F?\d+(?:\.\d+)?")
# A function or a type in a Swift file. The attribute before it has the name that a test or a suite is shown with.
DECLARATION = re.compile(
    r"(?:@(?:Suite|Test)\b(?P<shown>.*?))?"
    r"^(?P<indent> *)(?:[@\w]+ )*(?P<kind>actor|class|enum|extension|func|struct) (?P<name>\w+)",
    re.MULTILINE | re.DOTALL,
)


class Mutation(NamedTuple):
    """One change of one place; `tests` is a pattern such as PurchaseCoreTests.DeadlineTests/hangs, the target first."""

    name: str
    changes: str
    file: str
    find: str
    replace: str
    is_statement: bool
    tests: str


class Unusable(Exception):
    """A mutation that does not fit the code, or a run that says nothing about the tests."""


def read_mutations(folder):
    """Reads the mutations of all files in a folder."""
    mutations = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["mutation"]:
            unknown = entry.keys() - {"id", "changes", "file", "find", "replace", "form", "tests"}
            form = entry.get("form", "expression")
            if unknown or form not in ("expression", "statement"):
                raise Unusable(f"{path.name}: {entry.get('id')}: {', '.join(sorted(unknown)) or 'form ' + form}")
            mutations.append(
                Mutation(
                    f"{path.stem}/{entry['id']}",
                    entry["changes"],
                    entry["file"],
                    entry["find"].strip("\n"),
                    entry["replace"].strip("\n"),
                    form == "statement",
                    entry["tests"],
                )
            )
    names = [mutation.name for mutation in mutations]
    for name in names:
        if names.count(name) > 1:
            raise Unusable(f"{name} stands there twice")
    return mutations


def mutated(text, mutations):
    """Returns a file's text with mutations in it, each switched off."""
    places = {}
    for mutation in mutations:
        count = text.count(mutation.find)
        if count != 1:
            raise Unusable(f"{mutation.name}: {mutation.file} has its text {count} times")
        places.setdefault((text.index(mutation.find), mutation.find), []).append(mutation)
    end = len(text)
    for (start, find), same in sorted(places.items(), reverse=True):
        if start + len(find) > end:
            raise Unusable(f"{same[0].name}: overlaps another mutation of {same[0].file}")
        end = start
        if same[0].is_statement:
            branches = "".join(f'if isMutated("{m.name}") {{\n{m.replace}\n}} else ' for m in same)
            new = f"{branches}{{\n{find}\n}}"
        else:
            branches = "".join(f'isMutated("{m.name}") ? ({m.replace}) : ' for m in same)
            new = f"({branches}({find}))"
        text = text[:start] + new + text[start + len(find) :]
    return text


def by_file(mutations):
    """Returns the mutations of each file."""
    files = {}
    for mutation in mutations:
        files.setdefault(mutation.file, []).append(mutation)
    return files


def shown_names(folder):
    """Returns the shown name of each test, after that of its suite, by target, suite and function."""
    names = {}
    for path in sorted(folder.glob("*/**/*.swift")):
        target = path.relative_to(folder).parts[0]
        suite, shown = "", ""
        for found in DECLARATION.finditer(path.read_text()):
            if found["kind"] != "func":
                # Types inside of a suite are its helpers.
                if not found["indent"] or found["shown"]:
                    suite, shown = found["name"], found["shown"] or ""
            elif found["shown"]:
                names[f"{target}.{suite}/{found['name']}"] = shown + found["shown"]
    return names


def check_requirements(mutations, names):
    """Stops if a mutation names a requirement whose id stands on none of its tests."""
    for mutation in mutations:
        needed = REQUIREMENT.findall(mutation.changes)
        tests = re.compile(rf"{mutation.tests}\b")
        carried = [shown for test, shown in names.items() if tests.match(test)] if needed else []
        for requirement in needed:
            if not any(f"[{requirement}]" in shown for shown in carried):
                raise Unusable(f"{mutation.name}: no test of {mutation.tests} has [{requirement}] in its name")


def write_if_changed(path, data):
    """Writes a file; an equal one keeps its time, so that it is not compiled again."""
    if path.is_file() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def make_copy(root, tree, mutations):
    """Copies the package with the mutations in it."""
    mutated_files = by_file(mutations)
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    output = subprocess.run(listing, cwd=root, check=True, stdout=subprocess.PIPE).stdout
    names = {os.fsdecode(name) for name in output.split(b"\0") if name}
    names = {name for name in names if (root / name).is_file()}
    contents = {name: (root / name).read_bytes() for name in names}
    for name, those in mutated_files.items():
        contents[name] = mutated(contents[name].decode(), those).encode()
        contents[str(pathlib.Path(*pathlib.Path(name).parts[:2], "Mutations.swift"))] = SWITCH.encode()
    test_targets = sorted({mutation.tests.split(".")[0] for mutation in mutations})
    contents["Package.swift"] += MANIFEST_SUFFIX.format(names=", ".join(f'"{name}"' for name in test_targets)).encode()
    for path in tree.rglob("*") if tree.exists() else ():
        inside = path.relative_to(tree)
        if inside.parts[0] != ".build" and path.is_file() and str(inside) not in contents:
            path.unlink()
    for name, data in contents.items():
        write_if_changed(tree / name, data)
        if name in names:
            shutil.copymode(root / name, tree / name)
    # Tests look for signed data of the stores beside the package.
    shared, link = root.parent / "shared", tree.parent / "shared"
    if shared.is_dir() and not link.is_symlink():
        link.symlink_to(shared.resolve())


def run_tests(binary, tests, name, limit):
    """Runs tests with a mutation up to the first that fails; returns whether all passed, and what there is to say."""
    command = [binary, "--testing-library", "swift-testing", "--filter", rf"^{tests}\b"]
    environment = os.environ | {
        "MUTATION": name,
        "NO_COLOR": "1",
        "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "8",
    }
    process = subprocess.Popen(
        command,
        cwd=binary.parents[3],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    deadline = threading.Timer(limit, process.kill)
    deadline.start()
    running, failed, passed = {}, None, None
    with process:
        for line in process.stdout:
            passed = passed or ALL_PASSED.search(line)
            if not (event := TEST_EVENT.search(line)):
                continue
            if event["event"] == "started":
                running[event["test"]] = True
            elif event["event"] == "passed":
                running.pop(event["test"], None)
            else:
                failed = event["test"]
                process.kill()
                break
    deadline.cancel()
    if failed:
        return False, failed
    if process.returncode:
        end = f"did not end in {limit:.0f} s" if process.returncode == -signal.SIGKILL else f"exit {process.returncode}"
        return False, f"{next(iter(running), 'the tests')} ({end})"
    if not passed:
        raise Unusable(f"{name}: no test matches {tests}")
    return True, f"{passed[1]} tests"


def time_limits(binary, mutations, pool, limit):
    """Runs the tests without a mutation, and returns how long they may take with one; stops if they do not pass.

    Tests that a mutation keeps from ending are much slower than without it.
    """

    def measure(tests):
        start = time.monotonic()
        passed, what = run_tests(binary, tests, "", limit)
        if not passed:
            raise Unusable(f"{tests}, without a mutation: {what}")
        return tests, min(limit, 10 + 10 * (time.monotonic() - start))

    return dict(pool.map(measure, sorted({mutation.tests for mutation in mutations})))


def run(arguments):
    """Does what the command line asks for; returns the exit code."""
    root = pathlib.Path(arguments.root)
    mutations = read_mutations(root / "Tools/mutations")
    wanted = [
        mutation
        for mutation in mutations
        if not arguments.names or {mutation.name, mutation.name.split("/")[0]} & set(arguments.names)
    ]
    for name in arguments.names:
        if not any(name in (mutation.name, mutation.name.split("/")[0]) for mutation in wanted):
            raise Unusable(f"Tools/mutations has no {name}")
    if arguments.list:
        for mutation in wanted:
            print(f"{mutation.name}: {mutation.changes}")
        return 0
    if arguments.check:
        for file, those in by_file(wanted).items():
            mutated((root / file).read_text(), those)
        check_requirements(wanted, shown_names(root / "Tests"))
        print(f"{len(wanted)} mutations fit the code")
        return 0
    tree = root / ".build/mutations/tree"
    make_copy(root, tree, mutations)
    build = ["swift", "build", "--product", "receipt-verificationPackageTests", "--package-path", str(tree)]
    print(f"building {len(mutations)} mutations", file=sys.stderr)
    if subprocess.run(build, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode:
        raise Unusable("the package with the mutations does not build")
    [binary] = tree.glob(".build/debug/*PackageTests.xctest")
    survivors = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        limits = time_limits(binary, wanted, pool, arguments.timeout)
        runs = [pool.submit(run_tests, binary, each.tests, each.name, limits[each.tests]) for each in wanted]
        for mutation, result in zip(wanted, runs):
            survived, what = result.result()
            survivors += survived
            print(f"{mutation.name}: {'SURVIVED' if survived else 'killed by ' + what}: {mutation.changes}", flush=True)
    print(f"{len(wanted) - survivors} of {len(wanted)} killed")
    return 1 if survivors else 0


def main():
    """Runs the command."""
    parser = argparse.ArgumentParser(prog="Tools/mutate", allow_abbrev=False)
    parser.add_argument("root", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=60)
    try:
        sys.exit(run(parser.parse_intermixed_args()))
    except (Unusable, OSError, KeyError, tomllib.TOMLDecodeError) as error:
        print(f"mutate: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
