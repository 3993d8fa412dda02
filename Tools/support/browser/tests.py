"""Uses the shop of paywall-preview in a browser as a customer does, and looks at the page of batch --report.

Called by Tools/browser-tests.
"""

import argparse
import pathlib
import sys
import tempfile
import unittest

from pages import COINS, EXPORT, MONTHLY, pages
from report import ReportTests
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from shop import APPEARANCES, WIDTHS, Browser, Shop

EXPORT_ROW = f"[data-key='feature {EXPORT}']"


class BrowserTests(unittest.TestCase):
    binary: str
    browser: Browser
    screenshots: pathlib.Path | None

    def start(self, *arguments: str) -> Shop:
        shop = Shop(self.binary, *arguments)
        self.addCleanup(shop.close)
        return shop

    def setUp(self) -> None:
        self.shop = self.start()
        self.browser.open(self.shop.address)
        # A mark that a new page would not have.
        self.browser.script("window.isSamePage = true")

    def tearDown(self) -> None:
        errors = [entry["message"] for entry in self.browser.driver.get_log("browser") if entry["source"] != "network"]
        self.browser.open("about:blank")
        self.assertEqual(errors, [], "the browser has found errors in the script or in the page")

    def open_paywall(self, feature: str = EXPORT) -> None:
        self.browser.press("/paywall/open", feature)
        self.browser.wait_for("#paywall[open] .plan")

    def buy(self) -> None:
        self.browser.press("/paywall/buy")
        self.browser.wait_for("#sheet[open]")
        self.browser.press("/sheet/confirm")

    def access(self, feature: str = EXPORT) -> str:
        return self.browser.find(f"[data-key='feature {feature}']")[0].get_attribute("data-access")

    def wait_for_access(self, access: str, feature: str = EXPORT) -> None:
        self.browser.wait_for(f"[data-key='feature {feature}'][data-access={access}]")

    def assert_same_page(self) -> None:
        self.assertTrue(self.browser.script("return window.isSamePage === true"), "the page was loaded again")

    # Buying

    def test_a_locked_feature_opens_the_paywall_and_a_purchase_unlocks_it_without_a_reload(self) -> None:
        self.assertEqual(self.access(), "denied")
        self.open_paywall()
        self.assertEqual(len(self.browser.find("#paywall .plan")), 3)
        self.browser.wait_for(f"#paywall input[value='{MONTHLY}']").click()
        self.browser.wait_for_text("#paywall .renewal", "$2.99 per month")
        self.assertIn("$2.99 per month", self.browser.text("#paywall button.wide"))
        self.browser.wait_for(f"#paywall input[value='{EXPORT}']").click()
        self.browser.wait_for_text("#paywall .renewal", "You pay once.")
        for words in ["Restore purchases", "Terms of use", "Privacy policy", "$19.99 per year", "7 days free"]:
            self.assertIn(words, self.browser.text("#paywall"))
        self.browser.press("/paywall/buy")
        self.browser.wait_for("#sheet[open]")
        self.assertIn("$4.99", self.browser.text("#sheet"))
        self.assertTrue(self.browser.find("#paywall .overlay"), "no progress is shown")
        self.browser.press("/sheet/confirm")
        self.browser.wait_until_gone("#paywall")
        self.wait_for_access("granted")
        self.browser.wait_for_text("#notice", "It is unlocked now.")
        self.assert_same_page()

    def test_a_double_click_makes_one_purchase(self) -> None:
        # Coins can be bought again and again, so only the page and the server keep a second purchase away.
        button = self.browser.wait_for("button[data-post='/shop/buy']")
        ActionChains(self.browser.driver).double_click(button).perform()
        self.browser.wait_for("#sheet[open]")
        confirm = self.browser.wait_for("button[data-post='/sheet/confirm']")
        ActionChains(self.browser.driver).double_click(confirm).perform()
        self.browser.wait_for_text(f"[data-key='product {COINS}']", "You have 1.")
        self.assertEqual([e for e in self.browser.find("#sheet") if e.is_displayed()], [])
        self.browser.open(self.shop.page("/console"))
        self.browser.wait_for("[data-key^='transaction ']")
        self.assertEqual(len(self.browser.find("[data-key^='transaction ']")), 1)

    def test_a_double_click_on_the_paywall_makes_one_purchase(self) -> None:
        self.open_paywall()
        button = self.browser.wait_for("#paywall button[data-post='/paywall/buy']")
        ActionChains(self.browser.driver).double_click(button).perform()
        self.browser.wait_for("#sheet[open]")
        self.browser.press("/sheet/confirm")
        self.wait_for_access("granted")
        self.assertEqual([e for e in self.browser.find("#sheet") if e.is_displayed()], [])
        self.browser.open(self.shop.page("/console"))
        self.browser.wait_for("[data-key^='transaction ']")
        self.assertEqual(len(self.browser.find("[data-key^='transaction ']")), 1)

    def test_a_cancelled_purchase_leaves_the_paywall_open_and_can_be_repeated(self) -> None:
        self.open_paywall()
        self.browser.press("/paywall/buy")
        self.browser.press("/sheet/cancel")
        self.browser.wait_for_text("#paywall-message", "The purchase was cancelled.")
        self.assertEqual(self.access(), "denied")
        self.buy()
        self.wait_for_access("granted")

    def test_a_pending_purchase_unlocks_when_the_console_approves_it(self) -> None:
        self.shop.post("/console/ask-to-buy", "on")
        self.open_paywall()
        self.buy()
        self.browser.wait_until_gone("#paywall")
        self.browser.wait_for_text("#notice", "is waiting for approval")
        self.assertEqual(self.access(), "denied")
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.press("/console/approve")
            self.browser.wait_for_text("section[aria-labelledby=waiting]", "No purchase is waiting.")
            self.browser.wait_for_text(".log", "granted")
        self.wait_for_access("granted")
        self.assert_same_page()

    def test_a_declined_purchase_unlocks_nothing_and_can_be_ordered_again(self) -> None:
        self.shop.post("/console/ask-to-buy", "on")
        self.open_paywall()
        self.buy()
        self.browser.wait_for("button[data-post='/shop/forget']")
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.press("/console/decline")
            self.browser.wait_for_text(".log", "is declined")
        self.shop.post("/console/ask-to-buy", "off")
        self.assertEqual(self.access(), "denied")
        self.browser.press("/shop/forget")
        self.browser.wait_until_gone("button[data-post='/shop/forget']")
        self.open_paywall()
        self.buy()
        self.wait_for_access("granted")

    def test_a_wrong_signature_unlocks_nothing_and_offers_support_instead_of_a_retry(self) -> None:
        self.shop.post("/console/spoil-next")
        self.open_paywall()
        self.buy()
        self.browser.wait_for("#paywall .message.failure a[href='/support.json?about=paywall']")
        self.assertEqual(self.browser.find("button[data-post='/paywall/retry']"), [])
        self.assertEqual(self.access(), "denied")
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.wait_for_text(".log", "unverified: signature-invalid")
        self.assertEqual(self.access(), "denied")

    def test_a_failed_purchase_offers_a_restore_which_finds_out_whether_it_was_made(self) -> None:
        self.shop.post("/console/fail-next", "purchase")
        self.open_paywall()
        self.buy()
        self.browser.wait_for("#paywall .message.failure")
        self.browser.press("/paywall/retry", "restore-again")
        self.browser.wait_for_text("#paywall-message", "no purchases to restore")
        self.buy()
        self.wait_for_access("granted")

    def test_offline_the_paywall_shows_the_cached_prices_and_a_purchase_says_what_is_wrong(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        first = self.start("--data", folder.name)
        self.browser.open(first.address)
        first.close()
        # Nothing is loaded in this session, so the prices are those that the first one has kept.
        self.shop = self.start("--data", folder.name)
        self.shop.post("/console/connection", "off")
        self.browser.open(self.shop.address)
        self.open_paywall()
        self.assertIn("$4.99", self.browser.text("#paywall"))
        self.assertIn("may have changed", self.browser.text("#paywall"))
        self.buy()
        self.browser.wait_for_text("#paywall-message", "The store cannot be reached.")
        self.assertEqual(self.access(), "denied")
        self.shop.post("/console/connection", "on")
        self.buy()
        self.wait_for_access("granted")

    def test_a_consumable_is_counted(self) -> None:
        self.browser.press("/shop/buy", COINS)
        self.browser.press("/sheet/confirm")
        self.browser.wait_for_text("#notice", "You have Coins now.")
        self.browser.wait_for_text(f"[data-key='product {COINS}']", "You have 1.")

    # After the purchase

    def test_a_refund_takes_the_access_away_while_the_page_is_open(self) -> None:
        self.open_paywall()
        self.buy()
        self.wait_for_access("granted")
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.press("/console/refund")
            self.browser.wait_for("button[data-post='/console/reverse-refund']")
        self.wait_for_access("denied")
        self.assert_same_page()
        self.browser.open(self.shop.page("/account"))
        self.browser.wait_for_text("[data-section=refunded]", "Refunded on")

    def test_a_page_that_was_hidden_shows_what_has_changed_in_the_meantime(self) -> None:
        self.open_paywall()
        self.buy()
        self.wait_for_access("granted")
        self.hide(True)
        self.assertEqual(self.browser.script("return events.readyState"), 2, "a hidden page keeps its connection")
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.press("/console/refund")
            self.browser.wait_for("button[data-post='/console/reverse-refund']")
        self.assertEqual(self.access(), "granted")
        self.hide(False)
        self.wait_for_access("denied")
        self.assert_same_page()

    def hide(self, is_hidden: bool) -> None:
        self.browser.script(
            "Object.defineProperty(document, 'hidden', {value: arguments[0], configurable: true});"
            "document.dispatchEvent(new Event('visibilitychange'))",
            is_hidden,
        )

    def test_the_console_says_why_an_action_is_refused(self) -> None:
        self.browser.open(self.shop.page("/console"))
        for _ in range(2):
            select = self.browser.wait_for("#buy-elsewhere")
            self.browser.script("arguments[0].value = arguments[1]", select, EXPORT)
            self.browser.wait_for("form[data-post='/console/buy-elsewhere'] button").click()
            self.browser.wait_for("[data-key^='transaction ']")
        self.browser.wait_for("button[data-post='/console/refund']")
        self.browser.script("document.querySelector(\"button[data-post='/console/refund']\").dataset.value = '7'")
        self.browser.press("/console/refund")
        self.browser.wait_for_text("#alert", "7")

    def test_a_subscription_ends_with_its_period(self) -> None:
        self.open_paywall("")
        self.buy()
        self.wait_for_access("granted")
        self.browser.wait_for_text("#notice", "7 days left in the free trial.")
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.press("/console/cancel-renewal")
            self.browser.wait_for("button[data-post='/console/resume-renewal']")
        self.shop.post("/console/advance", "month")
        self.wait_for_access("denied")

    def test_a_restore_has_four_results(self) -> None:
        self.browser.open(self.shop.page("/account"))
        result = "#restore-result"
        self.browser.press("/account/restore")
        self.browser.wait_for_text(result, "There are no purchases to restore.")
        self.shop.post("/console/buy-elsewhere", EXPORT)
        self.browser.open(self.shop.page("/account"))
        self.assertIn("There are no purchases yet.", self.browser.text("main"))
        self.browser.press("/account/restore")
        self.browser.wait_for_text(result, "1 purchase is restored.")
        self.browser.wait_for_text("[data-section=active]", "Export")
        self.browser.press("/account/restore")
        self.browser.wait_for_text(result, "All purchases are already restored.")
        self.shop.post("/console/fail-next", "restore")
        self.browser.press("/account/restore")
        self.browser.wait_for(f"{result} .message.failure")
        self.browser.wait_for(f"{result} button[data-post='/account/restore']").click()
        self.browser.wait_for_text(result, "All purchases are already restored.")

    def test_the_account_shows_the_details_of_a_purchase(self) -> None:
        self.open_paywall()
        self.buy()
        self.wait_for_access("granted")
        self.browser.open(self.shop.page("/account"))
        self.browser.press("/account/open")
        self.browser.wait_for("#detail dt")
        for words in ["Export", "$4.99", "Verified", "App Store (Sandbox)"]:
            self.assertIn(words, self.browser.text("#detail"))
        self.browser.type(Keys.ESCAPE)
        self.browser.wait_until_gone("#detail")
        self.assertTrue(self.browser.focused().startswith("Details: Export"))

    def test_an_ended_purchase_can_be_made_again_in_the_account(self) -> None:
        self.open_paywall("")
        self.buy()
        self.wait_for_access("granted")
        self.browser.open(self.shop.page("/account"))
        again = "button[data-post='/shop/buy']"
        self.browser.wait_for("[data-section=active] li")
        self.assertEqual(self.browser.find(again), [])
        with self.browser.other_window(self.shop.page("/console")):
            self.browser.press("/console/expire")
        self.browser.wait_for(f"[data-section=inactive] {again}")
        self.browser.press("/shop/buy")
        self.browser.wait_for("#sheet[open]")
        self.browser.press("/sheet/confirm")
        self.browser.wait_for_text("#notice", "Thank you.")
        self.browser.wait_for("[data-section=active] li")
        self.assertEqual(self.browser.find(again), [])

    # The keyboard and assistive technology

    def test_the_keyboard_alone_buys_and_the_focus_stays_in_the_dialogs_and_returns(self) -> None:
        plans = self.browser.wait_for("button[data-post='/paywall/open'][data-value='']")
        self.browser.script("arguments[0].focus()", plans)
        self.browser.type(Keys.ENTER)
        self.browser.wait(lambda: self.browser.focused() == "paywall-title", "the focus on the title of the paywall")
        for _ in range(12):
            ActionChains(self.browser.driver).send_keys(Keys.TAB).perform()
            inside = self.browser.script(
                "return document.activeElement === document.body"
                " || document.getElementById('paywall').contains(document.activeElement)")
            self.assertTrue(inside, "the focus has left the dialog")
        self.browser.type(Keys.ESCAPE)
        self.browser.wait_until_gone("#paywall")
        self.assertEqual(self.browser.focused(), "See all plans")

        self.browser.type(Keys.ENTER)
        self.browser.wait_for("#paywall .plan")
        radio = self.browser.wait_for("#paywall input:checked")
        self.browser.script("arguments[0].focus()", radio)
        self.browser.type(Keys.ARROW_UP)
        self.browser.wait_for_text("#paywall button.wide", "$2.99 per month")
        ActionChains(self.browser.driver).send_keys(Keys.TAB).perform()
        self.assertIn("Subscribe", self.browser.focused())
        self.browser.type(Keys.ENTER)
        self.browser.wait(lambda: self.browser.focused() == "sheet-title", "the focus on the title of the sheet")
        ActionChains(self.browser.driver).send_keys(Keys.TAB, Keys.ENTER).perform()
        self.browser.wait_until_gone("#sheet")
        self.assertIn("Subscribe", self.browser.focused())
        self.browser.type(Keys.ENTER)
        self.browser.wait_for("#sheet[open]")
        ActionChains(self.browser.driver).send_keys(Keys.TAB, Keys.TAB, Keys.ENTER).perform()
        self.wait_for_access("granted")

    def test_the_pages_are_in_the_customers_language(self) -> None:
        for tag, words in [("ja", "プランを選択"), ("zh-Hans", "选择方案"), ("en", "Choose a plan")]:
            shop = self.start("--language", tag)
            self.browser.open(shop.address)
            self.assertEqual(self.browser.find("html")[0].get_attribute("lang"), tag)
            self.browser.press("/paywall/open", "")
            self.browser.wait_for_text("#paywall", words)

    def test_text_of_the_file_cannot_become_markup(self) -> None:
        folder = pathlib.Path(__file__).parent
        shop = self.start("--storekit", str(folder / "hostile.storekit"))
        self.browser.open(shop.address)
        self.browser.wait_for_text("h4", "<img src=x onerror=alert(1)>")
        self.assertEqual(self.browser.find("img"), [])
        self.browser.press("/paywall/open")
        self.browser.wait_for_text("#paywall", "<img src=x onerror=alert(1)>")
        self.browser.press("/paywall/buy")
        self.browser.wait_for("#sheet[open]")
        self.assertEqual(self.browser.find("img"), [])
        self.browser.press("/sheet/confirm")
        self.browser.wait_until_gone("#paywall")
        for path in ["/account", "/console"]:
            self.browser.open(shop.page(path))
            self.browser.wait_for_text("main", "<img src=x onerror=alert(1)>")
            self.assertEqual(self.browser.find("img"), [])

    def test_no_page_is_wider_than_a_small_screen(self) -> None:
        self.addCleanup(self.browser.appear_as_usual)
        self.browser.appear("light", 320)
        for name in pages(self.browser, self.shop):
            width = self.browser.script("return document.documentElement.scrollWidth")
            self.assertLessEqual(width, 320, f"{name} is {width} px wide")
            # Dialogs and lists scroll by themselves, so their content does not make the page wider.
            wide = self.browser.script(
                "return [...document.querySelectorAll('body *')].filter((element) =>"
                " element.scrollWidth > element.clientWidth"
                " && ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)"
                ").map((element) => element.outerHTML.slice(0, 100))")
            self.assertEqual(wide, [], f"a part of {name} is wider than itself")

    def test_the_progress_covers_a_dialog_wherever_it_is_scrolled_and_leaves_the_close_button_free(self) -> None:
        self.addCleanup(self.browser.appear_as_usual)
        self.browser.appear("light", 320)
        self.open_paywall()
        close, center = self.browser.script(
            "const dialog = document.getElementById('paywall');"
            "document.getElementById('progress').className = 'overlay';"
            "dialog.scrollTop = dialog.scrollHeight;"
            "const at = (x, y) => document.elementFromPoint(x, y)?.closest('button.close, #progress')?.className;"
            "const box = dialog.querySelector('button.close').getBoundingClientRect();"
            "return [at(box.x + box.width / 2, box.y + box.height / 2), at(innerWidth / 2, innerHeight / 2)]")
        self.assertEqual((close, center), ("close", "overlay"))

    # The script

    def break_connection(self, is_broken: bool) -> None:
        self.browser.script(
            "window.realFetch ??= window.fetch; window.fetch = arguments[0]"
            " ? () => Promise.reject(new TypeError('broken')) : window.realFetch", is_broken)

    def test_a_page_that_could_not_be_refreshed_is_refreshed_without_another_event(self) -> None:
        self.break_connection(True)
        self.shop.post("/paywall/open", EXPORT)
        self.browser.wait_for_text("#alert", "The shop does not answer.")
        with self.browser.other_window(self.shop.address):
            self.browser.wait_for("#paywall[open] .plan")
        self.break_connection(False)
        self.browser.wait_for("#paywall[open] .plan")
        self.browser.wait_until_gone("#alert")

    def test_a_failure_is_said_within_the_open_dialog(self) -> None:
        self.open_paywall()
        self.break_connection(True)
        self.browser.press("/paywall/buy")
        self.browser.wait_for("#paywall #alert")
        self.break_connection(False)
        self.browser.press("/paywall/close")
        self.browser.wait_until_gone("#paywall")
        self.browser.wait_until_gone("#alert")
        self.assertEqual(len(self.browser.find("body > #alert")), 1)

    def test_actions_are_sent_in_their_order(self) -> None:
        self.open_paywall()
        order = self.browser.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; const real = window.fetch; const sent = [];"
            "window.fetch = async (path, options) => {"
            "  if (options?.method !== 'POST') return real(path, options);"
            "  sent.push(`begin ${path}`);"
            "  const answer = await real(path, options);"
            "  sent.push(`end ${path}`);"
            "  if (sent.length === 4) done(sent.map((entry) => entry.split('?')[0]));"
            "  return answer;"
            "};"
            "document.querySelector('#paywall input:not(:checked)').click();"
            "document.querySelector('button[data-post=\"/paywall/restore\"]').click();")
        self.assertEqual(
            order,
            ["begin /paywall/select", "end /paywall/select", "begin /paywall/restore", "end /paywall/restore"])

    def test_no_page_violates_a_rule_of_accessibility(self) -> None:
        self.addCleanup(self.browser.appear_as_usual)
        for name in pages(self.browser, self.shop):
            for appearance in APPEARANCES:
                for width in WIDTHS:
                    self.browser.appear(appearance, width)
                    self.assertEqual(self.browser.violations(), [], f"{name}, {appearance}, {width} px")
            if self.screenshots:
                self.browser.write_screenshots(self.screenshots, name)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--verify-receipt", required=True)
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--chromedriver", required=True)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("--receipts", type=int, default=1)
    parser.add_argument("filters", nargs="*")
    arguments = parser.parse_args()
    if arguments.screenshots:
        arguments.screenshots.mkdir(parents=True, exist_ok=True)
    (BrowserTests.binary, ReportTests.binary) = (arguments.binary, arguments.verify_receipt)
    BrowserTests.screenshots = ReportTests.screenshots = arguments.screenshots
    BrowserTests.browser = ReportTests.browser = Browser(arguments.chromium, arguments.chromedriver)
    ReportTests.receipt_count = arguments.receipts
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in arguments.filters] or None
    try:
        tests = unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in [BrowserTests, ReportTests])
        result = unittest.TextTestRunner(verbosity=2).run(tests)
    finally:
        BrowserTests.browser.close()
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
