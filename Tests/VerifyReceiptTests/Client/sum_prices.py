"""Adds up the prices of the receipts in a file, independently of verify-receipt: for comparing the two.

    python3 sum_prices.py FILE BUNDLE_ID TIME_ZONE

Signatures are not checked, so every receipt of the app in FILE must be genuine. Prints JSON: sums by table and row.
"""

import base64
import json
import sys
from datetime import datetime, timezone
from decimal import ROUND_HALF_UP, Decimal
from zoneinfo import ZoneInfo


def payload(jws):
    parts = jws.split(".")
    if len(parts) != 3:
        return None
    try:
        return json.loads(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)))
    except ValueError:
        return None


def transaction(line, bundle_id):
    found = payload(line)
    if not isinstance(found, dict):
        return None
    data = found.get("data")
    if isinstance(data, dict):
        found = payload(data.get("signedTransactionInfo", ""))
    if not isinstance(found, dict) or found.get("bundleId") != bundle_id or "transactionId" not in found:
        return None
    return found


def refunded(sale):
    """Returns the refunded thousandths of a currency unit, and whether everything was taken back."""
    price = sale.get("price", 0)
    if "revocationDate" not in sale:
        return 0, False
    share = sale.get("revocationPercentage", 100000)
    is_part = sale["type"] == "Consumable" and sale.get("revocationType", "REFUND_PRORATED") == "REFUND_PRORATED"
    if not is_part or not 0 < share < 100000:
        return price, True
    exact = Decimal(price) * Decimal(share) / Decimal(100000)
    return int(exact.quantize(Decimal(1), rounding=ROUND_HALF_UP)), False


def latest(lines, bundle_id):
    sales = {}
    for line in lines:
        sale = transaction(line.strip(), bundle_id)
        if sale is None:
            continue
        key = (sale.get("environment", "Production"), sale["transactionId"])
        rank = (sale["signedDate"], refunded(sale))
        if key not in sales or rank > sales[key][0]:
            sales[key] = (rank, sale)
    return {key: sale for key, (_, sale) in sales.items()}


def main(path, bundle_id, zone):
    tables = {name: {} for name in ("revenue", "revenue-storefronts", "revenue-months", "revenue-days", "products", "no-revenue")}

    def add(table, row, sale):
        entry = tables[table].setdefault(" ".join(row), [0, 0, 0])
        entry[0] += 1
        entry[1] += sale["price"]
        entry[2] += refunded(sale)[0]

    with open(path, encoding="utf-8") as file:
        sales = latest(file, bundle_id)
    for (environment, _), sale in sales.items():
        if "price" not in sale:
            continue
        currency = sale["currency"]
        if environment != "Production" or sale.get("inAppOwnershipType") == "FAMILY_SHARED":
            ownership = "FAMILY_SHARED" if sale.get("inAppOwnershipType") == "FAMILY_SHARED" else "-"
            add("no-revenue", (environment, ownership, currency), sale)
            continue
        day = datetime.fromtimestamp(sale["purchaseDate"] // 1000, timezone.utc).astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d")
        add("revenue", (currency,), sale)
        add("revenue-storefronts", (sale["storefront"], currency), sale)
        add("revenue-months", (day[:7], currency), sale)
        add("revenue-days", (day, currency), sale)
        add("products", (sale["productId"], currency), sale)
    print(json.dumps(tables))


main(*sys.argv[1:])
