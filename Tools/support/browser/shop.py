"""A running shop, and the browser that looks at it."""

import base64
import contextlib
import importlib.util
import pathlib
import subprocess
import urllib.parse
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

APPEARANCES = ["light", "dark"]
WIDTHS = [375, 1280]
# The longest time in seconds to wait for a page to show something.
PATIENCE = 15


class Shop:
    """A process of paywall-preview with a new store."""

    def __init__(self, binary: str, *arguments: str):
        self.process = subprocess.Popen(
            [binary, "--quiet", *arguments], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True
        )
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise RuntimeError(f"{binary} has printed no address")
        self.root, _, self.token = self.address.partition("/?token=")

    def page(self, path: str) -> str:
        return f"{self.root}{path}?token={self.token}"

    def post(self, path: str, value: str = "") -> None:
        """Does what a button does, without a browser."""
        address = f"{self.root}{path}?{urllib.parse.urlencode({'value': value})}"
        request = urllib.request.Request(address, data=b"", headers={"X-Preview-Token": self.token})
        with urllib.request.urlopen(request, timeout=PATIENCE):
            pass

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Browser:
    """A headless Chromium, driven through Debian's driver."""

    def __init__(self, chromium: str, chromedriver: str):
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(executable_path=chromedriver))

    def close(self) -> None:
        self.driver.quit()

    # Looking

    def open(self, address: str) -> None:
        self.driver.get(address)

    def find(self, selector: str):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str = "body") -> str:
        return "\n".join(element.text for element in self.find(selector))

    def wait(self, condition, what: str):
        """Waits until a condition holds, and returns its value."""
        wait = WebDriverWait(
            self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=[StaleElementReferenceException]
        )
        return wait.until(lambda _: condition(), f"the page does not show {what}: {self.text()[:2000]}")

    def wait_for(self, selector: str):
        return self.wait(lambda: [e for e in self.find(selector) if e.is_displayed()], selector)[0]

    def wait_for_text(self, selector: str, text: str) -> None:
        self.wait(lambda: text in self.text(selector), f"{text!r} in {selector}")

    def wait_until_gone(self, selector: str) -> None:
        self.wait(lambda: not any(e.is_displayed() for e in self.find(selector)), f"no {selector}")

    def focused(self) -> str:
        """Returns what has the focus: its ID, its label or its text."""
        element = self.driver.switch_to.active_element
        return element.get_attribute("id") or element.get_attribute("aria-label") or element.text

    def violations(self) -> list[str]:
        """Returns the rules of accessibility that the page violates, with the elements that do."""
        # The package of axe is made for another browser driver, of which nothing is needed.
        folder = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).parent
        self.script((folder / "axe.min.js").read_text())
        return self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations']}).then((result) => done(result.violations.map("
            "  (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' ')}`)), (error) =>"
            "  done([String(error)]));"
        )

    # Acting

    def press(self, path: str, value: str | None = None) -> None:
        """Presses the button that sends an action, with a value if it is given."""
        condition = "" if value is None else f"[data-value='{value}']"
        self.wait_for(f"button[data-post='{path}']{condition}").click()

    def script(self, text: str, *arguments):
        return self.driver.execute_script(text, *arguments)

    def type(self, *keys: str) -> None:
        self.driver.switch_to.active_element.send_keys(*keys)

    @contextlib.contextmanager
    def other_window(self, address: str):
        """Opens an address in a window of its own, and returns to this one at the end."""
        first = self.driver.current_window_handle
        self.driver.switch_to.new_window("window")
        self.open(address)
        try:
            yield
        finally:
            self.driver.close()
            self.driver.switch_to.window(first)

    def appear(self, appearance: str, width: int = 1280) -> None:
        """Makes the pages light or dark, and as wide as a device."""
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": appearance}]}
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 812 if width < 600 else 900, "deviceScaleFactor": 1, "mobile": width < 600},
        )

    def appear_as_usual(self) -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def write_screenshots(self, folder: pathlib.Path, name: str, widths: list[int] = WIDTHS) -> None:
        for appearance in APPEARANCES:
            for width in widths:
                self.appear(appearance, width)
                self.write_screenshot(folder / f"{name}-{appearance}-{width}.png")

    def write_screenshot(self, path: pathlib.Path) -> None:
        # A dialog covers what is visible, so the rest of its page is left out.
        is_whole = not self.find("dialog[open]")
        image = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": is_whole})
        if is_whole:
            size = self.driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
            clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
            image = self.driver.execute_cdp_cmd(
                "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
            )
        path.write_bytes(base64.b64decode(image["data"]))
