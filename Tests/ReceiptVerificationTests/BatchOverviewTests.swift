import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Overviews of batch results")
struct BatchOverviewTests {
    private static let groupings = [
        ["verdict", "code"], ["day", "revoked"], ["productId"], ["leafSha256", "signerNotBefore", "signerNotAfter"],
        ["revoked", "productId", "verdict"],
    ]

    private func receipt(_ number: Int, revoked: Bool = false, signedAt: Int64 = Fixture.signedAt) throws -> String {
        var transaction = Fixture.transaction(number)
        transaction.productId = "product \(number % 3)"
        transaction.signedDate = Timestamp(milliseconds: signedAt)
        if revoked { transaction.revocationDate = Timestamp(milliseconds: signedAt) }
        return try #require(Fixture.authority).signer.sign(transaction)
    }

    private func lines() throws -> [String] {
        let day: Int64 = 86_400_000
        var lines = try (0..<9).map { number in
            try receipt(number, revoked: number == 4, signedAt: Fixture.signedAt - Int64(number % 4) * day)
        }
        lines += ["no receipt", lines[2], String(lines[3].dropLast(3)), "", "no receipt either", lines[2]]
        lines += ["5", "6", "7"]
        return lines
    }

    private func batch(jobs: Int = 1, _ contents: ResultContents = .standard) throws -> BatchVerifier {
        BatchVerifier(verifier: try Fixture.verifier(), output: .csv, jobs: jobs, keeping: .all, contents: contents)
    }

    /// Returns sources, each of which can be read once.
    private func sources(_ texts: [[String]]) -> [BatchSource] {
        texts.map { BatchSource(name: "a", bytes: [UInt8]($0.joined(separator: "\n").utf8)) }
    }

    private func overview(_ batch: BatchVerifier, of texts: [[String]]) throws -> BatchOverview {
        try batch.overview(
            of: sources(texts), by: try Self.groupings.map { try ResultFields($0) }, temporaryFolder: "/tmp")
    }

    @Test("each of several counts is that of a count of its own, on any number of threads and with any contents")
    func counts() throws {
        let lines = try lines()
        let texts = [lines, Array(repeating: lines, count: 60).flatMap(\.self)]
        let periods = [nil, try ResultPeriod(from: Timestamp(milliseconds: Fixture.signedAt - 100_000_000))]
        for jobs in [1, 3] {
            for period in periods {
                let batch = try batch(jobs: jobs, ResultContents(period: period))
                let overview = try overview(batch, of: texts)
                for (names, counts) in zip(Self.groupings, overview.counts) {
                    let (expected, summary) = try batch.count(sources(texts), by: try ResultFields(names))
                    #expect(counts.names == names)
                    #expect(counts.groups == expected.groups, "\(names)")
                    #expect(counts.others == 0)
                    #expect(overview.summary == summary)
                }
                #expect(overview.counts[1].groups.reduce(0) { $0 + $1.count } == 61 * (period == nil ? 17 : 5))
            }
        }
    }

    @Test("duplicates are those of a search for them, the most frequent first")
    func duplicates() throws {
        let lines = try lines()
        let texts = [lines, lines + [try receipt(7), try receipt(8)]]
        var expected: [DuplicateReceipt] = []
        for jobs in [1, 3] {
            let batch = try batch(jobs: jobs)
            expected = []
            _ = try batch.findDuplicates(in: sources(texts), temporaryFolder: "/tmp") { expected.append($0) }
            let found = try overview(batch, of: texts).duplicates
            #expect(found.purchases == expected.count && expected.count == 9)
            #expect(found.receipts == expected.reduce(0) { $0 + $1.count })
            #expect(found.mostFrequent.map(\.count) == expected.map(\.count).sorted(by: >))
            #expect(found.mostFrequent.first?.transactionID == "2000000000000002")
            #expect(found.mostFrequent.first?.occurrences.map(\.line) == [3, 11, 15, 3, 11, 15])
        }
    }

    @Test("more than ten duplicates are counted, and the most frequent ten are listed")
    func manyDuplicates() {
        var totals = DuplicateTotals()
        for number in 1...30 {
            var purchase = DuplicateEntry.Purchase()
            purchase.id = "\(number)"
            var duplicate = DuplicateReceipt(purchase, nil)
            for _ in 0..<number { duplicate.add([UInt8(0)].withRawSpan { DuplicateEntry($0) }, from: [], nil) }
            totals.add(duplicate)
        }
        #expect(totals.purchases == 30)
        #expect(totals.receipts == 465)
        #expect(totals.mostFrequent.map(\.count) == Array((21...30).reversed()))
    }

    @Test("the first receipts of each failure code are listed in the order of the input")
    func refusals() throws {
        let lines = try lines()
        let texts = [lines, Array(repeating: lines, count: 60).flatMap(\.self)]
        var expected: [String: [Int]] = [:]
        for row in try BatchRunner().run(texts.map { $0.joined(separator: "\n") }).rows {
            guard let code = row["code"]?.text, let line = row["line"]?.integer else { continue }
            expected[code, default: []].append(Int(line))
        }
        #expect(expected.count > 1)
        for jobs in [1, 3] {
            let refusals = try overview(try batch(jobs: jobs), of: texts).refusals
            let places = Dictionary(grouping: refusals) { $0.failure.code.rawValue }.mapValues { $0.map(\.line) }
            #expect(places == expected.mapValues { Array($0.prefix(RefusedReceipt.maximumPerCode)) })
            #expect(refusals.allSatisfy { $0.source == "a" && $0.item == 1 })
        }
    }

    @Test("identifiers are pseudonyms in counts, duplicates and refused receipts")
    func redaction() throws {
        let redaction = try #require(Redaction(key: [UInt8](repeating: 7, count: 32)))
        let batch = try batch(ResultContents(redaction: redaction))
        let overview = try batch.overview(
            of: sources([try lines()]), by: [try ResultFields(["transactionId"])], temporaryFolder: "/tmp")
        let pseudonym = redaction.pseudonym(of: "2000000000000002")
        #expect(overview.counts[0].groups.first { $0.values == [pseudonym] }?.count == 3)
        #expect(overview.duplicates.mostFrequent.first?.transactionID == pseudonym)
        #expect(Set(overview.refusals.map(\.source)) == [redaction.pseudonym(of: "a")])
        let (plain, _) = try self.batch().count(sources([try lines()]), by: try ResultFields(["transactionId"]))
        #expect(plain.groups.map(\.count) == overview.counts[0].groups.map(\.count))
    }

    @Test("results beyond the most groups are counted as others, which ones does not depend on the order in a part")
    func others() {
        func key(_ line: Int) -> GroupKey { GroupKey(bytes: [UInt8](",\(line)".utf8)) }
        let part = Dictionary(uniqueKeysWithValues: (10..<50).map { (key($0), 2) })
        var groups: Set<[ResultCounts.Group]> = []
        for _ in 0..<4 {
            var counts = ResultCounts(names: ["line"], groupLimit: 5)
            counts.addWithOthers([key(40): 1])
            counts.addWithOthers(Dictionary(uniqueKeysWithValues: part.shuffled()))
            #expect(counts.others == 2 * 35)
            #expect(counts.groups.first?.json == "{\"line\":40}")
            #expect(counts.groups.first?.count == 3)
            groups.insert(counts.groups)
        }
        #expect(groups.count == 1)
        #expect(groups.first?.map(\.values) == [["40"], ["10"], ["11"], ["12"], ["13"]])
    }

    // MARK: Fields

    @Test("the day is that of the signing time in UTC, or of the purchase on Google Play, and absent if not verified")
    func day() throws {
        let key = try TestPlayKey(bits: 1024)
        var keys = PlayKeyring()
        keys.add([UInt8](key.publicKey.utf8), forPackage: Fixture.bundleID)
        let data = #"{"packageName":"com.example.app","purchaseState":0,"purchaseTime":1759363199999}"#
        let play: JSONObject = [
            "INAPP_PURCHASE_DATA": .string(data), "INAPP_DATA_SIGNATURE": .string(try key.sign(data)),
        ]
        let lines = [
            try receipt(1, signedAt: 1_759_276_799_999), try receipt(1, signedAt: 1_759_276_800_000),
            play.description, "no receipt",
        ]
        let fields = ["day", "signerNotBefore", "signerNotAfter"]
        for output in [BatchOutputFormat.jsonLines, .csv] {
            let run = try BatchRunner(
                output: output, contents: ResultContents(fields: try ResultFields(fields)), playKeys: keys
            ).run([lines.joined(separator: "\n")])
            let rows =
                output == .csv ? run.cells : run.rows.map { row in fields.map { row[$0]?.text ?? "" } }
            #expect(rows.map { $0[0] } == ["2025-09-30", "2025-10-01", "2025-10-01", ""])
            // That of the leaf, which is valid for a shorter time than the others.
            #expect(rows[0][1] == "\(CertificateShape.leaf.notBefore)")
            #expect(rows[1][2] == "\(CertificateShape.leaf.notAfter)")
            #expect(rows[2][1...] == ["", ""])
        }
    }

    @Test("the standard results do not contain the further fields, which can be chosen and suggested")
    func furtherFields() throws {
        #expect(Set(ResultFields.furtherNames).isDisjoint(with: ResultFields.standard.names))
        #expect(try ResultFields(ResultFields.furtherNames).names == ResultFields.furtherNames)
        let error = #expect(throws: BatchError.self) { try ResultFields(["signerNotAfte"]) }
        #expect(error?.suggestion == "signerNotAfter")
    }
}
