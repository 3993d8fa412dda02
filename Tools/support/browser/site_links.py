"""The link graph of the documentation site, read from the data of its pages.

Called by Tools/package site --check: every link leads to a page or a file of the site, and every article is at most two
clicks from the start page.
"""

import collections
import json
import pathlib
import sys
from collections.abc import Iterator

START = "/documentation/start"
# The most clicks from the start page to an article.
CLICKS = 2


class Page:
    """A page of the site: its title and what it links to."""

    def __init__(self, path: str, data: dict):
        self.path = path
        self.title: str = data.get("metadata", {}).get("title", "")
        self.role: str = data.get("metadata", {}).get("role", "")
        self.references: dict[str, dict] = data.get("references", {})
        self.anchors: set[str] = set()
        self.identifiers: set[str] = set()
        # The way from the root to the page is beside the content, so its links are none of the content.
        for key, value in data.items():
            if key not in ("references", "hierarchy", "identifier"):
                self._collect(value)

    @property
    def is_article(self) -> bool:
        """Whether the page is an article or the first page of a module, and not one that DocC has made of symbols."""
        if self.role == "collectionGroup":
            return not self.path.endswith("-implementations")
        return self.role in ("article", "collection")

    def links(self) -> Iterator[str]:
        """Returns the addresses of the pages, headings and other sites that the content links to."""
        for identifier in sorted(self.identifiers):
            reference = self.references.get(identifier)
            if reference is not None and reference.get("type") in ("topic", "section", "link"):
                yield reference.get("url", "")

    def files(self) -> Iterator[str]:
        """Returns the addresses of images and downloads."""
        for reference in self.references.values():
            for variant in reference.get("variants", []):
                yield variant["url"]
            if reference.get("type") == "download":
                yield reference["url"]

    def _collect(self, value) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("anchor"), str):
                self.anchors.add(value["anchor"])
            for key in ("identifier", "identifiers"):
                found = value.get(key)
                if isinstance(found, list):
                    self.identifiers.update(found)
                elif isinstance(found, str):
                    self.identifiers.add(found)
            for child in value.values():
                self._collect(child)
        elif isinstance(value, list):
            for child in value:
                self._collect(child)


class Site:
    """The pages of a site, by their paths."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.pages: dict[str, Page] = {}
        for file in sorted((folder / "data").rglob("*.json")):
            path = "/" + file.relative_to(folder / "data").with_suffix("").as_posix()
            self.pages[path] = Page(path, json.loads(file.read_text()))

    def problems(self) -> Iterator[str]:
        """Returns each link that leads nowhere, and each article that is too far from the start page."""
        for page in self.pages.values():
            if not (self.folder / page.path[1:] / "index.html").is_file():
                yield f"{page.path}: has no index.html"
            for identifier in sorted(page.identifiers):
                if identifier.startswith("doc:") and identifier not in page.references:
                    yield f"{page.path}: {identifier} is not resolved"
            for address in page.links():
                yield from self._problems_of_link(page, address)
            for address in page.files():
                if not (self.folder / address.lstrip("/")).is_file():
                    yield f"{page.path}: there is no file {address}"
        for path in self._navigator_paths():
            if path not in self.pages:
                yield f"the navigator: there is no page {path}"
        distances = self.distances()
        for page in self.pages.values():
            distance = distances.get(page.path)
            # DocC lists a default implementation of a requirement of Swift's own protocols nowhere, and nothing in the
            # content leads to its list of all modules.
            if not page.is_article or page.path == "/documentation":
                continue
            if distance is None:
                yield f"{page.path}: no link leads from the start page to it"
            elif distance > CLICKS:
                yield f"{page.path}: is {distance} clicks from the start page"

    def distances(self) -> dict[str, int]:
        """Returns the least number of clicks from the start page to each page."""
        distances = {START: 0}
        queue = collections.deque([START])
        while queue:
            path = queue.popleft()
            for address in self.pages[path].links():
                target = address.partition("#")[0]
                if target in self.pages and target not in distances:
                    distances[target] = distances[path] + 1
                    queue.append(target)
        return distances

    def link_count(self) -> int:
        return sum(len(list(page.links())) for page in self.pages.values())

    def _problems_of_link(self, page: Page, address: str) -> Iterator[str]:
        if address.startswith(("https://", "http://", "mailto:")):
            return
        path, _, anchor = address.partition("#")
        target = self.pages.get(path)
        if target is None:
            yield f"{page.path}: there is no page {address}"
        elif anchor and anchor not in target.anchors:
            yield f"{page.path}: there is no heading {address}"

    def _navigator_paths(self) -> Iterator[str]:
        def walk(nodes: list[dict]) -> Iterator[str]:
            for node in nodes:
                if "path" in node:
                    yield node["path"]
                yield from walk(node.get("children", []))

        index = json.loads((self.folder / "index" / "index.json").read_text())
        for nodes in index["interfaceLanguages"].values():
            yield from walk(nodes)


def main() -> int:
    site = Site(pathlib.Path(sys.argv[1]))
    problems = list(site.problems())
    for problem in problems:
        print(problem, file=sys.stderr)
    count = sum(page.is_article for page in site.pages.values())
    print(f"{len(site.pages)} pages, {count} of them articles; {site.link_count()} links; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
