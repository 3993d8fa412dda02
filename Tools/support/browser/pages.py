"""Every page and every dialog, one after another, as a customer and a developer come to them."""

from collections.abc import Iterator

from shop import Browser, Shop

EXPORT = "com.example.app.export"
COINS = "com.example.app.coins"
MONTHLY = "com.example.app.pro.monthly"


def pages(browser: Browser, shop: Shop) -> Iterator[str]:
    """Shows each page, and returns its name while it is shown."""
    browser.open(shop.page("/"))
    browser.wait_for("h1")
    yield "shop"
    browser.press("/paywall/open", "")
    browser.wait_for("#paywall .plan")
    yield "paywall"
    browser.press("/paywall/buy")
    browser.wait_for("#sheet[open]")
    yield "payment"
    browser.press("/sheet/cancel")
    browser.wait_for("#paywall .message")
    yield "paywall-cancelled"
    shop.post("/console/fail-next", "purchase")
    browser.press("/paywall/buy")
    browser.press("/sheet/confirm")
    browser.wait_for("#paywall .message.failure")
    yield "paywall-failed"
    browser.press("/paywall/close")
    browser.wait_until_gone("#paywall")
    browser.press("/paywall/open", EXPORT)
    browser.wait_for("#paywall .plan")
    yield "paywall-feature"
    browser.press("/paywall/close")
    browser.wait_until_gone("#paywall")

    browser.open(shop.page("/account"))
    browser.wait_for("h1")
    yield "account-empty"
    browser.press("/account/restore")
    browser.wait_for("#restore-result .message button")
    yield "account-nothing-to-restore"

    for product in [COINS, EXPORT, MONTHLY]:
        shop.post("/console/buy-elsewhere", product)
    browser.press("/account/restore")
    browser.wait_for("#restore-result .message.success")
    shop.post("/console/ask-to-buy", "on")
    shop.post("/shop/buy", COINS)
    browser.open(shop.page("/"))
    browser.press("/sheet/confirm")
    browser.wait_for("button[data-post='/shop/forget']")
    yield "shop-unlocked"
    browser.open(shop.page("/account"))
    browser.wait_for("button[data-post='/account/open']")
    yield "account"
    browser.wait_for("button[data-post='/account/open']").click()
    browser.wait_for("#detail dt")
    yield "purchase"
    browser.press("/account/close")
    browser.wait_until_gone("#detail")
    browser.open(shop.page("/console"))
    browser.wait_for(".log li")
    yield "console"
    browser.press("/console/fail-payments")
    browser.wait_for("button[data-post='/console/recover-payments']")
    shop.post("/console/advance", "month")
    browser.open(shop.page("/"))
    browser.wait_for("#notice .message.failure button")
    yield "shop-payment-failed"
    browser.press("/subscription/manage")
    browser.wait_for("#manage[open]")
    yield "subscription"
    browser.press("/subscription/close")
    browser.wait_until_gone("#manage")
    for name in ["terms", "privacy"]:
        browser.open(shop.page(f"/{name}"))
        browser.wait_for("h1")
        yield name
