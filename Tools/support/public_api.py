"""Checks the public API of the library products: its baseline, its place in the documentation, and its names.

Called by Tools/public-api, which extracts the symbol graphs (one folder per module) and describes the package.
"""

import argparse
import collections
import difflib
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

BASELINES = Path("Tests/PackageTests/PublicAPI")
TYPES = {"struct", "class", "enum", "protocol"}
NAMED_AT_TOP_LEVEL = TYPES | {"typealias"}
# Every type conforms to these unless it says otherwise.
IMPLICIT_PROTOCOLS = {"Copyable", "Escapable", "SendableMetatype"}


# MARK: Reading symbol graphs


@dataclass(frozen=True, order=True)
class Symbol:
    """A public symbol; `path` begins with the module of the extended type for an extension of another module's type."""

    path: tuple
    kind: str
    declaration: str

    def line(self):
        return f"{self.kind} {'.'.join(self.path)}: {self.declaration}"


@dataclass(frozen=True)
class Module:
    """The public symbols and the conformances of one module."""

    name: str
    symbols: frozenset
    conformances: frozenset

    def types(self):
        return sorted({symbol.path for symbol in self.symbols if symbol.kind in TYPES})

    def top_level_names(self):
        return {
            symbol.path[0] for symbol in self.symbols if symbol.kind in NAMED_AT_TOP_LEVEL and len(symbol.path) == 1
        }

    def lines(self):
        """Returns the baseline: a line per symbol, sorted by path, then a line per conformance."""
        return [symbol.line() for symbol in sorted(self.symbols)] + sorted(self.conformances)


def read_module(folder):
    """Reads the symbol graphs of a module."""
    symbols, conformances = set(), set()
    for path in sorted(folder.glob("*.symbols.json")):
        graph = json.loads(path.read_bytes())
        # A graph named Module@Other.symbols.json has the extensions of Other's types.
        extended = path.name.removesuffix(".symbols.json").partition("@")[2]
        prefix = (extended,) if extended else ()
        names = {}
        for entry in graph["symbols"]:
            kind = entry["kind"]["identifier"].removeprefix("swift.")
            full_path = prefix + tuple(entry["pathComponents"])
            names[entry["identifier"]["precise"]] = ".".join(full_path)
            # The compiler's own members, such as init(from:), have no location; the conformance stands for them.
            if kind != "extension" and "location" in entry:
                text = "".join(fragment["spelling"] for fragment in entry["declarationFragments"])
                symbols.add(Symbol(full_path, kind, " ".join(text.split())))
        for relation in graph["relationships"]:
            if relation["kind"] == "conformsTo" and relation["source"] in names:
                protocol = names.get(relation["target"]) or relation.get("targetFallback", relation["target"])
                if protocol.rpartition(".")[2] not in IMPLICIT_PROTOCOLS:
                    conformances.add(f"conformance {names[relation['source']]}: {protocol}")
    return Module(folder.name, frozenset(symbols), frozenset(conformances))


# MARK: Baselines


def update(modules):
    """Writes the baseline of each module and removes those of modules that are gone."""
    BASELINES.mkdir(parents=True, exist_ok=True)
    for path in BASELINES.glob("*.txt"):
        if path.stem not in modules:
            path.unlink()
    for module in modules.values():
        (BASELINES / f"{module.name}.txt").write_text("".join(f"{line}\n" for line in module.lines()), encoding="utf-8")


def baseline_findings(modules):
    """Returns the differences between the modules and their baselines, as added and removed lines."""
    findings = []
    for name in sorted(modules.keys() | {path.stem for path in BASELINES.glob("*.txt")}):
        path = BASELINES / f"{name}.txt"
        if not path.exists():
            findings.append(f"{name}: there is no baseline")
        elif name not in modules:
            findings.append(f"{name}: there is a baseline, but no library product")
        else:
            before = path.read_text(encoding="utf-8").splitlines()
            changes = difflib.unified_diff(before, modules[name].lines(), n=0, lineterm="")
            findings += [f"{name}: {line[0]} {line[1:]}" for line in list(changes)[2:] if line[0] in "+-"]
    return findings


# MARK: Documentation


def topic_links(catalogue):
    """Returns the symbol links in the catalogue's Topics sections, each as the page's symbol and the linked path."""
    links = set()
    for page in sorted(catalogue.glob("**/*.md")):
        owner, is_in_topics = (), False
        for line in page.read_text(encoding="utf-8").splitlines():
            if title := re.fullmatch(r"# ``(.+)``", line.strip()):
                owner = components(title[1])
            if line.startswith("## "):
                is_in_topics = line.strip() == "## Topics"
            elif is_in_topics and line.lstrip().startswith(("-", "*")):
                links |= {(owner, components(link)) for link in re.findall(r"``(.+?)``", line)}
    return links


def components(link):
    """Returns the path of a symbol link without disambiguation, such as `-struct` or `-4s7x2`."""
    return tuple(re.sub(r"-[a-z0-9.]+$", "", part) for part in link.strip("/").split("/"))


def undocumented_types(module, catalogues):
    """Returns the public types that no Topics section of the module's catalogue links."""
    linked = set()
    for catalogue in catalogues:
        for owner, link in topic_links(catalogue):
            # DocC resolves a link from its page upwards.
            for depth in range(len(owner), -1, -1):
                path = owner[:depth] + link
                linked |= {path, path[1:] if path[0] == module.name else path}
    return [".".join(path) for path in module.types() if path not in linked]


# MARK: Names


def name_findings(modules, module_names):
    """Returns the top-level names that two modules share, and those that are names of modules."""
    owners = collections.defaultdict(list)
    for module in modules.values():
        for name in module.top_level_names():
            owners[name].append(module.name)
    findings = []
    for name, names in sorted(owners.items()):
        if len(names) > 1:
            findings.append(f"{name} is declared by {' and '.join(sorted(names))}; rename one of the types")
        if name in module_names:
            findings.append(f"{names[0]}.{name} has the name of a module; rename the type")
    return findings


# MARK: Command


def check(modules, targets):
    """Prints the findings of every check; returns 1 if there are any."""
    status = 0

    def report(findings, remedy):
        nonlocal status
        if findings:
            status = 1
            print(*findings, sep="\n")
            print(f"public-api: {remedy}\n", file=sys.stderr)

    if sys.platform == "linux":
        report(
            baseline_findings(modules),
            "the public API differs from Tests/PackageTests/PublicAPI; if the change is intended, run "
            "Tools/public-api --update and commit the result",
        )
    else:
        print("public-api: skipped the baselines, which describe the API on Linux", file=sys.stderr)
    undocumented = [
        f"{module.name}: {name} is missing from the topics"
        for module in modules.values()
        for name in undocumented_types(module, Path(targets[module.name]["path"]).glob("*.docc"))
    ]
    report(
        undocumented,
        "every public type has a link in a Topics section of its module's DocC catalogue; add the link, or reduce the "
        "type's access to package",
    )
    report(name_findings(modules, targets), "an app that imports all modules must be able to name every type")
    return status


def main(arguments):
    parser = argparse.ArgumentParser(prog="public-api")
    parser.add_argument(
        "--graphs", type=Path, required=True, help="the folder with a folder of symbol graphs per module"
    )
    parser.add_argument("--package", type=Path, required=True, help="the output of swift package describe --type json")
    parser.add_argument("--update", action="store_true", help="write the baselines instead of checking")
    options = parser.parse_args(arguments)
    package = json.loads(options.package.read_bytes())
    # What a dynamic library exports is not for Swift: its header describes it.
    libraries = {
        target for product in package["products"] if product["type"].get("library", ["dynamic"]) != ["dynamic"]
        for target in product["targets"]
    }
    modules = {name: read_module(options.graphs / name) for name in sorted(libraries)}
    if options.update:
        update(modules)
        return 0
    return check(modules, {target["c99name"]: target for target in package["targets"]})


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
