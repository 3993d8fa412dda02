import CommandLineInterface
import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import ReceiptVerification
@testable import verify_receipt

/// The sums of prices of `batch --report` and `batch --sum`, compared with those of a Python program.
@Suite("Sums of prices")
struct RevenueTests {
    private static let authority = try? TestAuthority()
    private static let rowCount = Int(ProcessInfo.processInfo.environment["REVENUE_ROWS"] ?? "") ?? 600
    private static let mustRun = ProcessInfo.processInfo.environment["CI"] == "true"
    private static let start: Int64 = 1_758_000_000_000
    private static let flags = "-q --root root.der --only-given-roots -b com.example.app"
    private let shell: TranscriptRunner

    init() throws {
        shell = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
        let authority = try #require(Self.authority)
        try Data(authority.rootCertificate).write(to: shell.folder.appendingPathComponent("root.der"))
    }

    private func sign(_ payload: some PayloadModel) throws -> String {
        try #require(Self.authority).signer.sign(payload)
    }

    private func write(_ lines: [String]) throws {
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: shell.folder.appendingPathComponent("in.txt"))
    }

    private func page(_ flags: String = "") throws -> String {
        let outcome = try shell.run("verify-receipt batch in.txt \(Self.flags) \(flags) --report page.html")
        #expect(outcome.code <= 1, "\(outcome)")
        return try String(contentsOf: shell.folder.appendingPathComponent("page.html"), encoding: .utf8)
    }

    // MARK: Purchases

    /// Returns a purchase in one of its versions; version 0 is the sale, and the next ones are refunds of more items.
    private func purchase(_ number: Int, version: Int) -> JWSTransactionDecodedPayload {
        var random = SplitMix64(seed: UInt64(number))
        var purchase = JWSTransactionDecodedPayload()
        let product = number % 4
        // Every tenth ID is that of another purchase, in the other environment.
        purchase.transactionId = "\(number % 10 == 9 ? number - 1 : number)"
        purchase.originalTransactionId = purchase.transactionId
        purchase.environment = number % 10 == 9 ? .sandbox : .production
        purchase.bundleId = "com.example.app"
        purchase.productId = "com.example.app.\(["coins", "gems", "pro", "export"][product])"
        purchase.type = [.consumable, .consumable, .autoRenewableSubscription, .nonConsumable][product]
        let quantity = product < 2 ? Int32(random.below(7)) + 1 : 1
        purchase.quantity = quantity
        purchase.inAppOwnershipType = number % 13 == 12 ? .familyShared : .purchased
        purchase.currency = ["EUR", "USD", "JPY", "BHD"][Int(random.below(4))]
        purchase.storefront = ["DEU", "USA", "JPN", "BHR", "AUT"][Int(random.below(5))]
        purchase.price = Milliunits(Int64(random.below(40_000_000)))
        let date = Timestamp(clamping: Self.start + Int64(random.below(200)) * 3_600_000 * 7 + 1)
        purchase.purchaseDate = date
        purchase.signedDate = date.adding(milliseconds: Int64(version) * 1000)
        guard version > 0 else { return purchase }
        let refunded = min(Int32(version), quantity)
        purchase.revocationDate = purchase.signedDate
        purchase.revocationPercentage = refunded * 100_000 / quantity
        purchase.revocationType = refunded == quantity && version % 2 == 0 ? .refundFull : .refundProrated
        return purchase
    }

    /// Returns rows in which purchases are repeated, in several versions and in notifications, in random order, among
    /// receipts of another app and lines that are no receipts.
    private func rows(_ count: Int) throws -> [String] {
        var random = SplitMix64(seed: 7)
        var lines: [String] = []
        while lines.count < count {
            let number = Int(random.below(UInt64(count / 4 + 1)))
            var purchase = purchase(number, version: max(0, Int(random.below(6)) - 2))
            switch random.below(12) {
            case 0:
                purchase.bundleId = "org.other"
                lines.append(try sign(purchase))
            case 1: lines.append("no receipt \(number)")
            case 2:
                var notification = ResponseBodyV2DecodedPayload()
                notification.notificationType = .refund
                notification.signedDate = purchase.signedDate
                var data = NotificationData()
                data.bundleId = "com.example.app"
                data.environment = purchase.environment
                data.signedTransactionInfo = try sign(purchase)
                notification.data = data
                lines.append(try sign(notification))
            case 3: lines += [String](repeating: try sign(purchase), count: 3)
            default: lines.append(try sign(purchase))
            }
        }
        return lines
    }

    // MARK: Comparison

    private func thousandths(_ text: String) throws -> Int64 {
        let number = try #require(Decimal(string: text.replacingOccurrences(of: ",", with: "")), "\(text)")
        return NSDecimalNumber(decimal: number * 1000).int64Value
    }

    @Test("every sum on the page and of --sum equals that of an independent program, to the thousandth")
    func independentSums() throws {
        guard try shell.run("command -v python3").code == 0 else {
            #expect(!Self.mustRun, "python3 is missing")
            return
        }
        try write(try rows(Self.rowCount))
        let script = PackageFolder.url.appending(path: "Tests/VerifyReceiptTests/Client/sum_prices.py").path
        let zone = "America/Los_Angeles"
        let outcome = try shell.run("python3 -B '\(script)' in.txt com.example.app \(zone)")
        #expect(outcome.code == 0, "\(outcome.errorOutput)")
        let expected = try JSONDecoder().decode(
            [String: [String: [Int64]]].self, from: Data(outcome.output.joined().utf8))
        #expect(expected["revenue"]?.count == 4 && (expected["no-revenue"]?.count ?? 0) > 4)

        let tables = ReportTables(try page("--timezone \(zone)"))
        for name in ["revenue", "products", "revenue-storefronts", "revenue-months", "revenue-days", "no-revenue"] {
            let rows = try #require(tables.rows[name == "products" ? "revenue-products" : name])
            let wanted = try #require(expected[name])
            // The page lists the latest days only.
            #expect(
                name == "revenue-days" ? rows.count == min(62, wanted.count) : rows.count == wanted.count, "\(name)")
            let keys = name == "revenue" ? 1 : name == "no-revenue" ? 3 : 2
            for row in rows {
                let sums = try #require(wanted[row.prefix(keys).joined(separator: " ")], "\(row)")
                #expect(try thousandths(row[keys]) == sums[0] * 1000, "\(name): \(row)")
                #expect(try thousandths(row[keys + 1]) == sums[1], "\(name): \(row)")
                guard name != "no-revenue" else { continue }
                #expect(try thousandths(row[keys + 2]) == sums[2], "\(name): \(row)")
                #expect(try thousandths(row[keys + 3]) == sums[1] - sums[2], "\(name): \(row)")
            }
        }
        for (fields, name) in [("currency", "revenue"), ("productId", "products")] {
            let flags = "\(Self.flags) --timezone \(zone) --count-by \(fields),month --sum price --jobs 3"
            let lines = try shell.run("verify-receipt batch in.txt \(flags) --output-format csv").output.dropFirst()
            var sums: [String: [Int64]] = [:]
            for line in lines {
                let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
                let key = name == "revenue" ? cells[0] : "\(cells[0]) \(cells[2])"
                let amounts = try cells.suffix(4).map(thousandths)
                let old = sums[key] ?? [0, 0, 0]
                sums[key] = [old[0] + amounts[0] / 1000, old[1] + amounts[1], old[2] + amounts[2]]
                #expect(amounts[3] == amounts[1] - amounts[2])
            }
            #expect(sums == expected[name], "\(fields)")
        }
    }

    @Test("one sale of three and one of which one was refunded keep 24.95, however often they are presented")
    func quantities() throws {
        var sale = purchase(0, version: 0)
        sale.quantity = 3
        sale.price = Milliunits(14_970)
        sale.currency = "USD"
        var refund = sale
        refund.transactionId = "7"
        let before = try sign(refund)
        refund.revocationDate = sale.purchaseDate
        refund.revocationType = .refundProrated
        refund.revocationPercentage = 33_333
        refund.signedDate = sale.signedDate?.adding(milliseconds: 1)
        let lines = [try sign(sale), try sign(refund), before]
        for repetition in [1, 50] {
            try write((0..<repetition).flatMap { _ in lines })
            let row = try #require(ReportTables(try page()).rows["revenue"]?.first)
            #expect(row == ["USD", "2", "29.94", "4.99", "24.95"])
            let sum = try shell.run("verify-receipt batch in.txt \(Self.flags) --count-by productId --sum price")
            #expect(
                sum.output == [
                    #"{"schema":"verify-receipt/batch-sum-1","type":"sum","fields":{"productId":"com.example.app.coins","#
                        + #""currency":"USD"},"purchases":2,"price":29.94,"refunded":4.99,"kept":24.95}"#
                ])
        }
    }

    @Test("a day and a month are those of the time zone, in counts, sums and on the page")
    func timeZones() throws {
        var sale = purchase(0, version: 0)
        // New Year's Eve in Los Angeles, and the first of January in UTC and Tokyo.
        sale.purchaseDate = Timestamp(rfc3339: "2026-01-01T04:00:00Z")
        sale.signedDate = sale.purchaseDate
        try write([try sign(sale)])
        for (zone, day) in [("UTC", "2026-01-01"), ("America/Los_Angeles", "2025-12-31"), ("Asia/Tokyo", "2026-01-01")]
        {
            let flags = "\(Self.flags) --timezone \(zone)"
            let counts = try shell.run("verify-receipt batch in.txt \(flags) --count-by day,month").output
            #expect(counts.first?.contains(#""day":"\#(day)","month":"\#(day.prefix(7))""#) == true, "\(counts)")
            let tables = ReportTables(try page("--timezone \(zone)"))
            #expect(tables.rows["revenue-days"]?.first?.first == day)
            #expect(tables.rows["revenue-months"]?.first?.first == String(day.prefix(7)))
            #expect(tables.rows["days"]?.first?.first == day)
        }
        let alone = try shell.run("verify-receipt batch in.txt \(Self.flags) --timezone Asia/Tokyo")
        #expect(alone.code == 2 && alone.errorOutput.first?.contains("--timezone needs") == true)
    }

    @Test("a refund counts in the month of its purchase, by which a period chooses too, unless a flag names a date")
    func refundMonths() throws {
        var sale = purchase(2, version: 0)
        (sale.currency, sale.price, sale.environment) = ("USD", Milliunits(4990), .production)
        sale.purchaseDate = Timestamp(rfc3339: "2025-09-30T12:00:00Z")
        sale.signedDate = sale.purchaseDate
        var refund = sale
        refund.signedDate = Timestamp(rfc3339: "2025-11-02T12:00:00Z")
        refund.revocationDate = refund.signedDate
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .refund
        notification.signedDate = refund.signedDate
        notification.data = NotificationData()
        notification.data?.bundleId = "com.example.app"
        notification.data?.environment = .production
        notification.data?.signedTransactionInfo = try sign(refund)
        func sum(_ month: String) -> [String] {
            [
                #"{"schema":"verify-receipt/batch-sum-1","type":"sum","fields":{"month":"\#(month)","currency":"USD"},"#
                    + #""purchases":1,"price":4.99,"refunded":4.99,"kept":0.00}"#
            ]
        }
        for last in [try sign(refund), try sign(notification)] {
            try write([try sign(sale), last])
            for (flags, expected) in [
                ("", sum("2025-09")), ("--since 2025-09-01 --until 2025-09-30", sum("2025-09")),
                ("--since 2025-11-01", []), ("--refuse-revoked", sum("2025-09")),
                ("--date-field signedDate", sum("2025-11")),
            ] {
                let command = "verify-receipt batch in.txt \(Self.flags) --count-by month --sum price"
                let outcome = try shell.run("\(command) \(flags)")
                #expect(outcome.output == expected, "\(flags): \(outcome.errorOutput)")
            }
            let flags = "--since 2025-09-01 --until 2025-09-30"
            let tables = ReportTables(try page(flags))
            #expect(tables.rows["revenue-months"] == [["2025-09", "USD", "1", "4.99", "4.99", "0.00"]])
            // Receipts are counted by their own time.
            let counts = try shell.run("verify-receipt batch in.txt \(Self.flags) \(flags) --count-by month").output
            #expect(counts.count == 1 && counts.first?.contains(#""count":1}"#) == true, "\(counts)")
        }
        let alone = try shell.run("verify-receipt batch in.txt \(Self.flags) --date-field signedDate")
        #expect(alone.code == 2 && alone.errorOutput.first?.contains("--date-field needs") == true)
    }

    @Test("receipts of purchases that have no prices are counted beside the sums, in a note and on the page")
    func withoutPrices() throws {
        try write([try sign(purchase(0, version: 0))])
        let inputs = "in.txt samples/play-purchase.json --whole-files --play-key com.example.app=samples/play-key.txt"
        let flags = Self.flags.dropFirst(3)
        let sum = try shell.run("verify-receipt batch \(inputs) \(flags) --count-by productId --sum price")
        #expect(sum.code == 0 && sum.output.count == 1, "\(sum)")
        let note = "purchases of Google Play, whose signed data has no prices, which are left out: 1"
        #expect(sum.errorOutput.contains { $0.contains(note) }, "\(sum.errorOutput)")
        let page = try shell.run("verify-receipt batch \(inputs) \(flags) --report page.html; cat page.html")
        #expect(page.output.contains { $0.contains("Left out: 1 receipt of Google Play") })
    }

    @Test("free trials and the subscriptions that go on to a paid period are counted once each")
    func trials() throws {
        func period(_ id: Int, of first: Int, trial: Bool, at day: Int64) throws -> String {
            var period = purchase(2, version: 0)
            period.environment = .production
            period.transactionId = "\(id)"
            period.originalTransactionId = "\(first)"
            period.offerDiscountType = trial ? .freeTrial : nil
            period.price = Milliunits(trial ? 0 : 4990)
            period.purchaseDate = Timestamp(clamping: Self.start + day * 86_400_000)
            return try sign(period)
        }
        let lines = [
            try period(102, of: 100, trial: false, at: 7), try period(100, of: 100, trial: true, at: 0),
            try period(101, of: 100, trial: false, at: 37), try period(200, of: 200, trial: true, at: 0),
            // A paid period before a trial is no conversion.
            try period(300, of: 300, trial: false, at: 0), try period(301, of: 300, trial: true, at: 9),
        ]
        try write(lines + lines)
        let tables = ReportTables(try page())
        #expect(tables.rows["trials"] == [["with a later paid period", "1", "33.3%"], ["without", "2", "66.7%"]])
        #expect(try page().contains("3 free trials, of which 1 has a later paid period."))
    }

    @Test("the page says what its prices are not, and test purchases and family-shared ones stand apart")
    func apart() throws {
        var family = purchase(12, version: 0)
        (family.transactionId, family.currency, family.price) = ("1", "EUR", Milliunits(1000))
        var test = purchase(9, version: 0)
        (test.transactionId, test.currency, test.price) = ("1", "EUR", Milliunits(2000))
        try write([try sign(family), try sign(test)])
        let text = try page()
        #expect(ReportTables(text).rows["revenue"] == nil)
        #expect(
            ReportTables(text).rows["no-revenue"]?.sorted { $0[0] < $1[0] } == [
                ["Production", "FAMILY_SHARED", "EUR", "1", "1.00"], ["Sandbox", "-", "EUR", "1", "2.00"],
            ])
        var sale = purchase(0, version: 0)
        sale.transactionId = "2"
        try write([try sign(family), try sign(test), try sign(sale)])
        #expect(try page().contains("Apple does not mean these prices for accounting"))
        let sum = try shell.run(
            "verify-receipt batch in.txt \(Self.flags.dropFirst(3)) -e Production -e Sandbox --count-by kind --sum price"
        )
        #expect(sum.output.count == 1 && sum.output[0].contains(#""purchases":1,"#))
        #expect(sum.errorOutput.contains { $0.contains("purchases family-shared, which are left out: 1") })
        #expect(sum.errorOutput.contains { $0.contains("other environments than Production, which are left out: 1") })
    }

    @Test("sums that cannot be represented are said to be too large, and other currencies keep theirs")
    func overflow() throws {
        let lines = try (1...3).map { number in
            var sale = purchase(0, version: 0)
            sale.transactionId = "\(number)"
            (sale.currency, sale.price) = number == 3 ? ("EUR", Milliunits(1)) : ("USD", Milliunits(.max))
            return try sign(sale)
        }
        try write(lines)
        let rows = ReportTables(try page()).rows["revenue"]
        #expect(rows == [["USD", "2", "too large", "0.00", "too large"], ["EUR", "1", "0.001", "0.00", "0.001"]])
        let sum = try shell.run("verify-receipt batch in.txt \(Self.flags) --count-by currency --sum price").output
        #expect(sum.first?.contains(#""price":null,"refunded":0.00,"kept":null"#) == true, "\(sum)")
    }
}
