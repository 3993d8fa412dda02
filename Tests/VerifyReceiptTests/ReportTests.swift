import CommandLineInterface
import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing
import TranscriptSupport

@testable import ReceiptVerification
@testable import verify_receipt

/// Runs `batch --report` as a process, and compares its page with what other flags print.
@Suite("The page of batch --report")
struct ReportTests {
    private let shell: TranscriptRunner
    private static let authority = try? TestAuthority()
    private static let playKey = try? TestPlayKey(bits: 1024)
    private static let day: Int64 = 86_400_000
    private static let start: Int64 = 1_760_000_000_000

    init() throws {
        shell = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    // MARK: Receipts

    private func transaction(_ number: Int) -> JWSTransactionDecodedPayload {
        var transaction = JWSTransactionDecodedPayload()
        transaction.transactionId = "\(2_000_000_000_000_000 + number)"
        transaction.bundleId = "com.example.app"
        transaction.productId = ["com.example.app.pro", "com.example.app.coins", "com.example.app.export"][number % 3]
        transaction.quantity = Int32(number % 4 == 3 ? 3 : 1)
        transaction.inAppOwnershipType = number % 7 == 6 ? .familyShared : .purchased
        transaction.signedDate = Timestamp(milliseconds: Self.start + Int64(number % 5) * Self.day)
        transaction.environment = number % 6 == 5 ? .sandbox : .production
        transaction.price = Milliunits([1990, 12_345_670, 500_000][number % 3])
        transaction.currency = ["EUR", "USD", "JPY"][number % 3]
        transaction.storefront = ["DEU", "USA", "JPN", "GBR"][number % 4]
        if number % 8 == 7 { transaction.revocationDate = transaction.signedDate }
        return transaction
    }

    private func receipt(
        _ number: Int, change: (inout JWSTransactionDecodedPayload) -> Void = { _ in }
    ) throws -> String {
        var transaction = transaction(number)
        change(&transaction)
        return try #require(Self.authority).signer.sign(transaction)
    }

    private func play(_ number: Int) throws -> String {
        let data =
            #"{"packageName":"com.example.app","productId":"gold","purchaseState":0,"orderId":"GPA.\#(number)","#
            + #""purchaseTime":\#(Self.start)}"#
        let object: JSONObject = [
            "INAPP_PURCHASE_DATA": .string(data),
            "INAPP_DATA_SIGNATURE": .string(try #require(Self.playKey).sign(data)),
        ]
        return object.description
    }

    private func notification(_ number: Int) throws -> String {
        var data = NotificationData()
        data.bundleId = "com.example.app"
        data.environment = .production
        data.signedTransactionInfo = try receipt(number)
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didRenew
        notification.signedDate = Timestamp(milliseconds: Self.start)
        notification.data = data
        return try #require(Self.authority).signer.sign(notification)
    }

    private func write(_ lines: [String], to name: String = "in.txt") throws {
        let authority = try #require(Self.authority)
        try Data(authority.rootCertificate).write(to: shell.folder.appendingPathComponent("root.der"))
        try Data(try #require(Self.playKey).publicKey.utf8).write(to: shell.folder.appendingPathComponent("play.txt"))
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: shell.folder.appendingPathComponent(name))
    }

    /// Receipts of all kinds of verdicts, with duplicates.
    private func mixture() throws -> [String] {
        var lines = try (0..<60).map { try receipt($0) }
        lines += try (0..<4).map { try play($0 % 3) } + [try notification(61), lines[3], lines[3], lines[4]]
        lines += ["no receipt", "", "<b>no receipt</b>", String(lines[5].dropLast(4)), "GPA.1234-5678-9012-34567"]
        lines += [try receipt(70) { $0.bundleId = "org.other" }, try receipt(71) { $0.bundleId = "org.other" }]
        return lines
    }

    private static let flags =
        "-q --root root.der --only-given-roots --play-key com.example.app=play.txt -b com.example.app"

    private func page(_ name: String = "page.html") throws -> String {
        try String(contentsOf: shell.folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// Returns the groups of `--count-by`, with `-` for absent values.
    private func counts(_ names: String, _ flags: String) throws -> [(values: [String], count: Int)] {
        let outcome = try shell.run("verify-receipt batch in.txt \(flags) --count-by \(names)")
        return try outcome.output.map { line in
            let object = try #require(try JSONDocument.value(of: [UInt8](line.utf8)).object)
            let fields = try #require(object["fields"]?.object)
            return (
                fields.members.map { $0.value.text ?? ($0.value == .null ? "-" : "\($0.value)") },
                Int(object["count"]?.integer ?? -1)
            )
        }
    }

    /// Adds up the groups of `--count-by` whose values meet a condition.
    private func sums(
        _ groups: [(values: [String], count: Int)], by places: [Int], where isChosen: ([String]) -> Bool
    ) -> [String: Int] {
        var sums: [String: Int] = [:]
        for group in groups where isChosen(group.values) {
            sums[places.map { group.values[$0] }.joined(separator: " "), default: 0] += group.count
        }
        return sums
    }

    // MARK: Numbers

    @Test(
        "the numbers in the tables are those of --count-by and --duplicates, with any choice of results",
        arguments: ["--jobs 1", "--jobs 3", "--only verified", "--since 2025-10-11 --until 2025-10-12", "--redact"])
    func numbers(choice: String) throws {
        try write(try mixture())
        let flags = "\(Self.flags) \(choice)"
        let outcome = try shell.run("verify-receipt batch in.txt \(flags) --report page.html")
        #expect(outcome.code == 1)
        #expect(outcome.output.isEmpty && outcome.errorOutput.isEmpty)
        let tables = ReportTables(try page())
        func isVerified(_ values: [String]) -> Bool { values[1] == "verified" }

        let verdicts = try counts("verdict,revoked", flags)
        let verdictSums = sums(verdicts, by: [0, 1]) { _ in true }
        let names = ["verified -": "verified", "verified true": "verified, revoked"]
        let shown = tables.numbers("verdicts", 1).filter { $0.value > 0 }
        #expect(
            shown
                == Dictionary(
                    uniqueKeysWithValues: verdictSums.map {
                        (names[$0.key] ?? String($0.key.prefix { $0 != " " }), $0.value)
                    }))

        let days = try counts("day,verdict,revoked", flags)
        #expect(
            tables.numbers("days", 1) == sums(days, by: [0], where: isVerified), "no receipt is without a date")
        #expect(
            tables.numbers("days", 2).filter { $0.value > 0 }
                == sums(days, by: [0]) { isVerified($0) && $0[2] == "true" })
        let codes = try counts("code,verdict", flags)
        #expect(tables.numbers("reasons", 3, by: [0, 2]) == sums(codes, by: [0, 1]) { !isVerified($0) })
        for (table, field) in [
            ("products", "productId"), ("storefronts", "storefront"), ("environments", "environment"),
            ("kinds", "kind"),
        ] {
            let groups = try counts("\(field),verdict", flags)
            let expected = sums(groups, by: [0], where: isVerified).map { ($0 == "-" ? "(none)" : $0, $1) }
            #expect(tables.numbers(table, 1) == Dictionary(uniqueKeysWithValues: expected), "\(field)")
        }
        let signers = try counts("leafSubject,verdict,leafSha256", flags).filter { $0.values[0] != "-" }
        #expect(
            tables.numbers("signers", 6, by: [0, 1]).filter { $0.value > 0 }
                == sums(signers, by: [0, 2], where: isVerified))
        #expect(
            tables.numbers("signers", 7, by: [0, 1]).filter { $0.value > 0 }
                == sums(signers, by: [0, 2]) { !isVerified($0) })

        let duplicates = try shell.run("verify-receipt batch in.txt \(flags) --duplicates").output
        let objects = duplicates.compactMap { (try? JSONDocument.value(of: [UInt8]($0.utf8)))?.object }
        var expected: [Int] = objects.map { Int($0["count"]?.integer ?? 0) }
        #expect(tables.rows["duplicates"]?.map { Int($0[3]) ?? 0 } ?? [] == expected.sorted(by: >))
        expected = objects.map { Int($0["verified"]?.integer ?? 0) }
        #expect(tables.rows["duplicates"]?.map { Int($0[4]) ?? 0 }.sorted() ?? [] == expected.sorted())
    }

    @Test("the page is the same on any number of threads, and names each refused receipt's place and reason")
    func refusedReceipts() throws {
        try write(try mixture())
        for jobs in [1, 4] {
            _ = try shell.run("verify-receipt batch in.txt \(Self.flags) --jobs \(jobs) --report \(jobs).html")
        }
        func stable(_ text: String) -> String {
            // The time of the run, in words and as the line in the chart of signers.
            text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/, with: "TIME")
                .replacing(/<svg class="spans".*?<\/svg>/.dotMatchesNewlines(), with: "SPANS")
        }
        #expect(try stable(page("1.html")) == stable(page("4.html")))
        let text = try page("1.html")
        #expect(text.contains("<bdi>in.txt</bdi>, line 74"))
        #expect(text.contains("expected <b>com.example.app</b>"))
        #expect(text.contains("found <b>org.other</b>"))
        #expect(text.contains("What to try"))
    }

    // MARK: Hostile and unusual input

    @Test("text of receipts and inputs is not markup, cannot reorder the page, and is cut")
    func hostileText() throws {
        let hostile = "</title><script>alert(1)</script>\u{202E}\"'&amp;"
        let long = String(repeating: "<x>", count: 3000)
        let name = "<img src=x onerror=alert(2)>.txt"
        try write(
            [
                try receipt(0) { $0.productId = hostile }, try receipt(1) { $0.productId = long },
                try receipt(2) { $0.storefront = hostile }, try receipt(3) { $0.currency = hostile },
                try receipt(3) { $0.currency = hostile },
                try receipt(4) { $0.bundleId = hostile }, hostile, "{\"\(hostile)\":1}",
            ], to: name)
        let outcome = try shell.run("verify-receipt batch '\(name)' \(Self.flags) --report page.html")
        #expect(outcome.code == 1)
        let text = try page()
        for markup in ["<script", "<img", "<x>", "\u{202E}", "alert(1)</", "\"'"] {
            #expect(!text.contains(markup), "\(markup)")
        }
        #expect(text.utf8.count < 60_000)
        let products = ReportTables(text).numbers("products", 1)
        #expect(products["</title><script>alert(1)</script>\\u{202e}\"'&amp;"] == 1, "\(products)")
        #expect(products.keys.contains { $0.hasPrefix("<x><x>") && $0.contains("…") && $0.count <= 80 })
        #expect(text.contains("default-src 'none'"))
    }

    @Test("no page that more receipts make larger reaches 500 kB")
    func size() throws {
        var overview = BatchOverview(try ReportGrouping.allCases.map { try ResultFields($0.names) })
        let wide = String(repeating: "&<\u{202E}", count: 30)
        for part in 0..<20 {
            var output = BatchOutput()
            output.groups = ReportGrouping.allCases.map { grouping in
                var groups: [GroupKey: Int] = [:]
                for number in 0..<1000 {
                    var key = GroupKey()
                    for name in grouping.names {
                        key.bytes.append(UInt8(ascii: ","))
                        JSONText.append(value(name, number + part * 1000, wide), to: &key.bytes)
                    }
                    groups[key] = number + 1
                }
                return groups
            }
            overview.add(output)
        }
        let codes = VerificationFailure.Code.all
        overview.refusals = codes.flatMap { code in
            (0..<3).map { line in
                RefusedReceipt(
                    source: wide + wide, line: line, item: 2,
                    failure: VerificationFailure(code: code, expected: String(repeating: wide, count: 9), actual: wide))
            }
        }
        let arguments = Arguments(command: .batch)
        let scope = ReportScope([BatchInput(path: wide)], unreadableCount: 1, nil, VerificationPolicy(), arguments)
        let now = try #require(Timestamp(milliseconds: Self.start))
        let page = ReportPage(overview: overview, scope: scope, now: now).html.text
        #expect(overview.counts.contains { $0.others > 0 })
        #expect(page.contains("There are more than 10,000 different values"))
        #expect(page.contains("all others"))
        #expect((50_000..<500_000).contains(page.utf8.count), "\(page.utf8.count)")
    }

    /// Returns a value that a field can have, as different ones as possible.
    private func value(_ name: String, _ number: Int, _ wide: String) -> String {
        switch name {
        case "verdict": number % 5 == 0 ? "unverified" : "verified"
        case "code": VerificationFailure.Code.all[number % VerificationFailure.Code.all.count].rawValue
        case "day": "\(1000 + number % 9000)-12-31"
        case "price": "\(number).99"
        case "quantity": "1"
        case "kind": "transaction"
        case "signerNotBefore", "signerNotAfter": "20\(10 + number % 90)-01-01T00:00:00Z"
        default: "\(number) \(wide)"
        }
    }

    @Test("an input without receipts has a page that says so, and one of only refused lines has no empty charts")
    func emptyPages() throws {
        try write([])
        let nothing = try shell.run("verify-receipt batch in.txt \(Self.flags) --report page.html")
        #expect(nothing.code == 3)
        #expect(try page().contains("<h1>There are no results</h1>"))
        #expect(ReportTables(try page()).rows.isEmpty)

        try write(["no receipt", "nor this"])
        let refused = try shell.run("verify-receipt batch in.txt \(Self.flags) --report page.html")
        #expect(refused.code == 3)
        let tables = ReportTables(try page())
        #expect(try page().contains("<h1>None of 2 receipts is verified</h1>"))
        #expect(Set(tables.rows.keys) == ["verdicts", "reasons"])
        #expect(try page().contains("id=\"refused\""))
    }

    @Test("--redact leaves no identifier and no name of an input on the page")
    func redaction() throws {
        try write(try mixture(), to: "customer-4711.txt")
        let flags = "\(Self.flags) --redact --report page.html"
        _ = try shell.run("verify-receipt batch customer-4711.txt \(flags)")
        let text = try page()
        #expect(!text.contains("customer-4711"))
        #expect(!text.contains("20000000000000") && !text.contains("GPA."))
        #expect(ReportTables(text).rows["duplicates"]?.allSatisfy { $0[0].hasPrefix("r-") } == true)
    }

    // MARK: The file

    @Test("a page replaces its file only when it is complete, and an input or an error leaves the file as it was")
    func file() throws {
        try write(["no receipt"])
        _ = try shell.run("echo old > page.html; mkdir folder; cp in.txt folder")
        for command in [
            "in.txt --report in.txt", "in.txt --report root.der", "folder --report folder/page.html",
            "in.txt --column x --report page.html", "in.txt --report page.html --count-by verdict",
            "in.txt --report page.html --resume", "in.txt --report page.html -o out",
            "in.txt --report folder", "in.txt --report none/page.html", "in.txt --report - --summary",
            "in.txt --report page.html --duplicates", "in.txt --report page.html --keep all",
        ] {
            let outcome = try shell.run("verify-receipt batch \(Self.flags) \(command)")
            #expect(outcome.code == 2, "\(command): \(outcome.errorOutput)")
            #expect(
                outcome.errorOutput.contains { $0.contains("--report") || $0.contains("--column") },
                "\(command): \(outcome.errorOutput)")
        }
        #expect(try page() == "old\n")
        #expect(
            try shell.run("ls; ls folder; cat in.txt").output
                == ["folder", "in.txt", "page.html", "play.txt", "root.der", "samples", "in.txt", "no receipt"])
        let outcome = try shell.run("verify-receipt batch in.txt --report page.html --summary")
        #expect(outcome.errorOutput.contains("verify-receipt: the report is in page.html"))
        #expect(outcome.output.count == 1)
        #expect(try page().hasPrefix("<!DOCTYPE html>"))
        #expect(try shell.run("verify-receipt batch -q in.txt --report - | head -n 1").output == ["<!DOCTYPE html>"])
    }
}
