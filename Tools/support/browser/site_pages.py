"""Opens the documentation site in a browser, as its readers do.

Called by Tools/package site --check: the links for each kind of reader are clicked, each article and some pages of
symbols are opened, and neither the browser nor the server may find an error.
"""

import argparse
import collections
import contextlib
import functools
import http.server
import pathlib
import random
import re
import sys
import threading
import urllib.parse
from collections.abc import Iterator

from selenium.common.exceptions import TimeoutException
from shop import Browser
from site_links import START, Page, Site

# The pages of symbols that are opened; all of them are thousands.
SAMPLE = 20
LINKS_FOR_READERS = "main table a[href]"
SMALL = 375
# The pages of the screenshots, by their names.
PICTURES = {
    "start": START,
    "article": "/documentation/receiptverification/exitcodesandpromises",
    "task": "/documentation/start/answeringacustomer",
    "module": "/documentation/purchasecore",
    "symbol": "/documentation/receiptverification/receiptverifier",
    "modules": "/documentation",
}


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves the files of a site under its base path, and notes what is asked for and missing."""

    base = ""
    missing: list[str] = []

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix(self.base) if path.startswith(self.base + "/") else "/outside"
        return super().translate_path(inside)

    def send_error(self, code, message=None, explain=None) -> None:
        self.missing.append(f"{code} {self.path}")
        super().send_error(code, message, explain)

    def log_message(self, format, *arguments) -> None:
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address) -> None:
        # A browser that leaves a page closes the connections of what it has not read yet.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


@contextlib.contextmanager
def served(folder: pathlib.Path) -> Iterator[str]:
    """Serves a site on this machine, and returns its address without a slash at the end."""
    page = (folder / START[1:] / "index.html").read_text()
    base = re.search(r'var baseUrl = "(.*?)/?"', page)
    Files.base = base.group(1) if base else ""
    handler = functools.partial(Files, directory=str(folder))
    with Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}{Files.base}"
        finally:
            server.shutdown()
            thread.join()


class Visit:
    """A walk through a site, which collects what is wrong."""

    def __init__(self, site: Site, browser: Browser, address: str):
        self.site = site
        self.browser = browser
        self.address = address
        self.problems: list[str] = []
        self.counts: collections.Counter[str] = collections.Counter()

    def open(self, page: Page) -> None:
        self.browser.open(f"{self.address}{page.path}/")
        self.expect(page)

    def expect(self, page: Page) -> None:
        """Waits for the heading of a page, and notes errors of the browser and links in it that lead nowhere."""
        self.browser.wait(lambda: self.heading() == page.title, f"the heading {page.title!r}")
        self.counts["pages opened"] += 1
        for entry in self.browser.driver.get_log("browser"):
            if entry["level"] == "SEVERE":
                self.problems.append(f"{page.path}: {entry['message']}")
        for address in self.addresses():
            self.counts["links in opened pages"] += 1
            if self.path(address) not in self.site.pages:
                self.problems.append(f"{page.path}: there is no page {address}")

    def heading(self) -> str:
        # Long names have places where a line can break.
        return self.browser.script("return document.querySelector('main h1')?.textContent.replaceAll('\\u200b', '')")

    def addresses(self) -> list[str]:
        """Returns the links in the visible page that stay in the site."""
        addresses = self.browser.script("return [...document.querySelectorAll('a[href]')].map((link) => link.href)")
        return [address for address in addresses if address.startswith(self.address)]

    def path(self, address: str) -> str:
        path = urllib.parse.unquote(urllib.parse.urlsplit(address.removeprefix(self.address)).path)
        return path.rstrip("/")

    def click_through(self) -> None:
        """Opens the root of the site, and clicks the links for each kind of reader in the table of the start page."""
        start = self.site.pages[START]
        self.browser.open(f"{self.address}/")
        self.expect(start)
        shown = {self.path(address) for address in self.addresses()}
        for address in start.links():
            if address.startswith("/") and address.partition("#")[0] not in shown:
                self.problems.append(f"{START}: the browser shows no link to {address}")
        count = len(self.browser.find(LINKS_FOR_READERS))
        if count == 0:
            self.problems.append(f"{START}: there is no table with a link for each kind of reader")
        for index in range(count):
            link = self.browser.find(LINKS_FOR_READERS)[index]
            target = self.path(link.get_attribute("href"))
            link.click()
            self.counts["links of the start page clicked"] += 1
            if target in self.site.pages:
                self.expect(self.site.pages[target])
            else:
                self.problems.append(f"{START}: a link leads to {target}")
            self.browser.driver.back()
            self.expect(start)

    def check_navigator(self, page: Page) -> None:
        """Checks that the list beside a wide page is not empty."""
        with contextlib.suppress(TimeoutException):
            self.browser.wait_for("nav.navigator .navigator-card-item")
            return
        self.problems.append(f"{page.path}: the navigator is empty")

    def check_width(self, page: Page) -> None:
        width = self.browser.script("return document.documentElement.scrollWidth")
        if width > SMALL:
            self.problems.append(f"{page.path}: is {width} px wide on a screen of {SMALL} px")

    def write_screenshots(self, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, path in PICTURES.items():
            self.browser.appear_as_usual()
            self.open(self.site.pages[path])
            self.browser.write_screenshots(folder, name)
        self.browser.appear_as_usual()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=pathlib.Path)
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--chromedriver", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    arguments = parser.parse_args()
    site = Site(arguments.site)
    articles = [page for page in site.pages.values() if page.is_article]
    symbols = [page for page in site.pages.values() if not page.is_article]
    browser = Browser(arguments.chromium, arguments.chromedriver)
    try:
        with served(arguments.site) as address:
            visit = Visit(site, browser, address)
            visit.click_through()
            for page in articles:
                if page.role == "collection":
                    visit.open(page)
                    visit.check_navigator(page)
            browser.appear("light", SMALL)
            for page in articles + random.Random(1).sample(symbols, min(SAMPLE, len(symbols))):
                visit.open(page)
                visit.check_width(page)
            browser.appear_as_usual()
            if arguments.screenshots:
                visit.write_screenshots(arguments.screenshots)
    finally:
        browser.close()
    problems = visit.problems + [f"the server: {line}" for line in Files.missing]
    for problem in problems:
        print(problem, file=sys.stderr)
    print(", ".join(f"{count} {what}" for what, count in visit.counts.items()) + f"; {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
