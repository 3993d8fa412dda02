"""Looks at the page that `verify-receipt batch --report` writes."""

import collections
import json
import math
import pathlib
import subprocess
import tempfile
import unittest

from shop import APPEARANCES, Browser

WIDTHS = [400, 1280]
HOSTILE = "</text><img src=x onerror=alert(1)><script>alert(2)</script>"
# Product, price in thousandths, currency, storefront, number of receipts, further arguments of mint.
SALES = [
    ("com.example.app.pro.monthly", 4990, "EUR", "DEU", 40, []),
    ("com.example.app.pro.yearly", 39990, "EUR", "FRA", 21, []),
    ("com.example.app.pro.monthly", 500000, "JPY", "JPN", 17, []),
    ("com.example.app.coins", 990, "USD", "USA", 33, ["--type", "consumable"]),
    ("com.example.app.coins", 990, "USD", "USA", 6, ["--type", "consumable", "--set", "revocationDate=-PT1H"]),
    ("com.example.app.pro.yearly", 39990, "USD", "USA", 9, ["--environment", "Sandbox"]),
    # The longest sums.
    ("com.example.app.pro.yearly", 900_000_000_000_000, "IDR", "IDN", 4, ["--type", "consumable"]),
    (HOSTILE, 4990, "GBP", "GBR", 2, []),
]


class ReportTests(unittest.TestCase):
    binary: str
    browser: Browser
    screenshots: pathlib.Path | None
    # The least number of receipts in the report.
    receipt_count: int
    batch = ["receipts.txt", "--root", "authority/root.der", "-b", "com.example.app"]

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = pathlib.Path(cls.folder.name)
        (cls.path / "receipts.txt").write_text(cls.receipts())
        cls.address = cls.write_page("report", *cls.batch)

    @classmethod
    def run_tool(cls, *arguments: str) -> str:
        return subprocess.run([cls.binary, *arguments], cwd=cls.path, stdout=subprocess.PIPE, text=True).stdout

    @classmethod
    def write_page(cls, name: str, *arguments: str) -> str:
        """Writes a page, and returns its address."""
        cls.run_tool("batch", "-q", *arguments, "--report", f"{name}.html")
        return (cls.path / f"{name}.html").as_uri()

    @classmethod
    def receipts(cls) -> str:
        # Each sale in four parts, on days of its own.
        parts = 4
        sizes = {index: sale[4] // parts + 1 for index, sale in enumerate(SALES)}
        scale = math.ceil(cls.receipt_count / (parts * sum(sizes.values())))
        mint = ["mint", "-q", "--authority", "authority"]
        lines = []
        for index, (product, price, currency, storefront, _, more) in enumerate(SALES):
            environment = [] if "--environment" in more else ["--environment", "Production"]
            for part in range(parts):
                day = 1 + (index * 5 + part * part * 3) % 28
                lines += cls.run_tool(
                    *mint, *environment, "--at", f"2025-10-{day:02}T12:00:00Z", "--count", str(sizes[index] * scale),
                    "--product-id", product, "--set", f"price={price}", "--set", f"currency={currency}",
                    "--set", f"storefront={storefront}", *more,
                ).splitlines()
        lines += [lines[0], lines[0], lines[7]]
        lines += [lines[3][:-5], "no receipt", f"{{\"{HOSTILE}\": 1}}", HOSTILE] * scale
        for flaw in [["--flaw", "signature"], ["--bundle-id", "org.other"]]:
            lines += cls.run_tool(*mint, *flaw, "--count", str(scale)).splitlines()
        return "\n".join(lines) + "\n"

    def setUp(self) -> None:
        self.addCleanup(self.browser.appear_as_usual)
        self.browser.open(self.address)

    def tearDown(self) -> None:
        errors = [entry["message"] for entry in self.browser.driver.get_log("browser") if entry["source"] != "network"]
        self.browser.open("about:blank")
        self.assertEqual(errors, [], "the browser has found errors in the page")

    def rows(self, name: str) -> list[list[str]]:
        return self.browser.script(
            "return [...document.querySelectorAll(`table[data-name=${arguments[0]}] tbody tr`)]"
            ".map((row) => [...row.cells].map((cell) => cell.textContent))",
            name,
        )

    def numbers(self, name: str, column: int, keys: list[int]) -> dict[tuple[str, ...], int]:
        """Returns the numbers of a column by the texts of others."""
        numbers = {tuple(row[key] for key in keys): int(row[column].replace(",", "")) for row in self.rows(name)}
        return {key: number for key, number in numbers.items() if number}

    def counts(self, fields: str, verdicts: str) -> dict[tuple[str, ...], int]:
        """Returns what --count-by prints, with the texts of the page."""
        lines = self.run_tool("batch", "-q", *self.batch, "--only", verdicts, "--count-by", fields).splitlines()
        groups = [(json.loads(line)["fields"], json.loads(line)["count"]) for line in lines]
        return {tuple(str(value or "(none)") for value in group.values()): count for group, count in groups}

    def test_the_numbers_are_those_that_count_by_prints(self) -> None:
        refused = "unverified,undecided"
        verdicts = collections.Counter()
        for (verdict, revoked), count in self.counts("verdict,revoked", "verified,unverified,undecided").items():
            verdicts[(f"{verdict}, revoked" if revoked == "True" else verdict,)] += count
        self.assertEqual(self.numbers("verdicts", 1, [0]), verdicts)
        self.assertGreaterEqual(verdicts.total(), self.receipt_count)
        self.assertEqual(self.numbers("reasons", 3, [0, 2]), self.counts("code,verdict", refused))
        names = {"days": "day", "products": "productId", "storefronts": "storefront", "environments": "environment"}
        for table, field in names.items():
            self.assertEqual(self.numbers(table, 1, [0]), self.counts(field, "verified"), table)

    def test_text_of_receipts_cannot_become_markup(self) -> None:
        self.assertEqual(self.browser.find("script, img"), [])
        self.assertIn(HOSTILE, [row[0] for row in self.rows("products")])

    def test_each_chart_has_a_name_and_a_table_that_opens_under_it(self) -> None:
        charts = self.browser.script(
            "return [...document.querySelectorAll('section svg')].map((chart) => [chart.getAttribute('aria-label'),"
            " chart.closest('section').querySelector('details table tbody')?.rows.length ?? 0])")
        self.assertEqual(len(charts), 9, charts)
        for name, count in charts:
            self.assertTrue(name)
            self.assertGreater(count, 0, name)
        for summary in self.browser.find("section summary"):
            summary.click()
            table = self.browser.script("return arguments[0].parentElement.querySelector('table')", summary)
            self.assertTrue(table.is_displayed())

    def test_the_labels_of_a_chart_fit_a_small_screen(self) -> None:
        self.browser.appear("light", WIDTHS[0])
        overlaps = self.browser.script(
            "return [...document.querySelectorAll('svg.bars, svg.spans')].flatMap((chart) =>"
            " [...chart.querySelectorAll('.value')].filter((value) =>"
            "  value.previousElementSibling.getBoundingClientRect().right > value.getBoundingClientRect().left)"
            " .map((value) => value.textContent))")
        self.assertEqual(overlaps, [])
        gaps = self.browser.script(
            "const labels = [...document.querySelectorAll('svg.columns text[text-anchor]')]"
            " .map((label) => label.getBoundingClientRect());"
            "return labels.slice(1).map((label, index) => label.left - labels[index].right)")
        self.assertEqual(len(gaps), 2)
        self.assertGreater(min(gaps), 8)

    def test_the_page_is_not_wider_than_a_small_screen(self) -> None:
        self.browser.appear("light", 320)
        self.browser.script("document.querySelectorAll('details').forEach((details) => details.open = true)")
        self.assertLessEqual(self.browser.script("return document.documentElement.scrollWidth"), 320)

    def test_print_is_dark_on_white_and_shows_the_tables(self) -> None:
        self.browser.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        self.assertEqual(
            self.browser.script(
                "const style = getComputedStyle(document.body); return [style.backgroundColor, style.color]"),
            ["rgb(255, 255, 255)", "rgb(29, 33, 37)"])
        heights = self.browser.script(
            "return [...document.querySelectorAll('table')].map((table) => table.getBoundingClientRect().height)")
        self.assertTrue(heights and all(height > 20 for height in heights), heights)
        self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    def test_print_cuts_no_table_and_leaves_no_heading_alone(self) -> None:
        self.addCleanup(
            self.browser.driver.execute_cdp_cmd, "Emulation.setEmulatedMedia", {"media": "", "features": []})
        # A4 and A5, both without the margins, in pixels.
        for width in [688, 526]:
            self.browser.appear("light", width)
            self.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            wide = self.browser.script(
                "return [...document.querySelectorAll('section, section *:not(svg *, caption)')].filter((element) =>"
                " element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline'"
                " || element.getBoundingClientRect().right > document.body.getBoundingClientRect().right)"
                ".map((element) => [element.outerHTML.slice(0, 200), element.scrollWidth, element.clientWidth])")
            self.assertEqual(wide, [], f"{width} px")
        breaks = self.browser.script(
            "return [...document.querySelectorAll('h2, h3, thead')].map((e) => getComputedStyle(e).breakAfter)")
        self.assertEqual(set(breaks), {"avoid"})
        # The mark of the present is on the bars, between the texts of the signers.
        crossings = self.browser.script(
            "const lines = [...document.querySelectorAll('svg.spans .now')].map((e) => e.getBoundingClientRect());"
            "const texts = [...document.querySelectorAll('svg.spans text')].map((e) => e.getBoundingClientRect());"
            "return lines.flatMap((line) => texts.filter((text) => line.top < text.bottom && text.top < line.bottom"
            "  && line.left < text.right && text.left < line.right).length)")
        self.assertTrue(crossings)
        self.assertEqual(sum(crossings), 0)

    def test_the_page_violates_no_rule_of_accessibility(self) -> None:
        pages = {"report": self.address, "report-refused": self.write_page("refused", "receipts.txt")}
        (self.path / "empty.txt").write_text("")
        pages["report-empty"] = self.write_page("empty", "empty.txt")
        for name, address in pages.items():
            self.browser.open(address)
            if self.screenshots:
                self.browser.write_screenshots(self.screenshots, name, WIDTHS)
            self.browser.script("document.querySelectorAll('details').forEach((details) => details.open = true)")
            for appearance in APPEARANCES:
                for width in WIDTHS:
                    self.browser.appear(appearance, width)
                    self.assertEqual(self.browser.violations(), [], f"{name}, {appearance}, {width} px")
