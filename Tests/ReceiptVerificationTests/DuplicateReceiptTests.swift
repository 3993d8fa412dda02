import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Duplicates in a batch")
struct DuplicateReceiptTests {
    private static let playKey = try? TestPlayKey(bits: 1024)

    private func purchase(token: String?, order: String?, isSigned: Bool = true) throws -> String {
        let members = [token.map { #","purchaseToken":"\#($0)""# }, order.map { #","orderId":"\#($0)""# }]
        let data = #"{"packageName":"com.example.app","purchaseState":0\#(members.compactMap(\.self).joined())}"#
        let key = try #require(Self.playKey)
        let object: JSONObject = [
            "INAPP_PURCHASE_DATA": .string(data),
            "INAPP_DATA_SIGNATURE": .string(try key.sign(isSigned ? data : data + " ")),
        ]
        return object.description
    }

    private func batch(
        jobs: Int = 1, _ contents: ResultContents = .standard
    ) throws -> BatchVerifier {
        var keys = PlayKeyring()
        keys.add([UInt8](try #require(Self.playKey).publicKey.utf8), forPackage: Fixture.bundleID)
        return BatchVerifier(
            verifier: try Fixture.verifier(playKeys: keys), output: .csv, jobs: jobs, keeping: .all, contents: contents)
    }

    private func find(
        _ texts: [[String]], jobs: Int = 1, runSize: Int = EntrySorter.runSize, _ contents: ResultContents = .standard
    ) throws -> (duplicates: [DuplicateReceipt], summary: BatchSummary) {
        let sources = texts.enumerated().map { number, lines in
            BatchSource(name: "source \(number)", bytes: [UInt8](lines.joined(separator: "\n").utf8))
        }
        var duplicates: [DuplicateReceipt] = []
        let sorter = EntrySorter(try SpillFile(in: "/tmp"), runSize: runSize, mergedRuns: 3)
        let summary = try batch(jobs: jobs, contents).findDuplicates(
            in: sources, sorter: sorter, take: { duplicates.append($0) })
        return (duplicates, summary)
    }

    private func receipt(
        _ id: String, environment: StoreEnvironment = .sandbox, app: String = Fixture.bundleID, quantity: Int32 = 1
    ) throws -> String {
        var transaction = Fixture.transaction()
        transaction.transactionId = id
        transaction.environment = environment
        transaction.bundleId = app
        transaction.quantity = quantity
        return try #require(Fixture.authority).signer.sign(transaction)
    }

    @Test("each ID that several receipts have is found with its exact count, on any number of threads and runs")
    func counts() throws {
        var random = SplitMix64(seed: 11)
        let receipts = try (0..<12).map { try receipt("\(20_000 + $0)") }
        let numbers = (0..<700).map { _ in
            Int.random(in: 0..<12, using: &random) * Int.random(in: 0...1, using: &random)
        }
        let lines = numbers.map { receipts[$0] } + [try receipt("alone"), "no receipt", ""]
        var expected: [String: Int] = [:]
        for number in numbers { expected["\(20_000 + number)", default: 0] += 1 }
        for (jobs, runSize) in [(1, EntrySorter.runSize), (1, 3000), (3, 3000)] {
            let (duplicates, summary) = try find([lines, [receipts[11]]], jobs: jobs, runSize: runSize)
            #expect(summary.total == 703)
            expected["20011"] = numbers.count { $0 == 11 } + 1
            let found = duplicates.map { ($0.transactionID ?? "", $0.count) }
            #expect(Dictionary(uniqueKeysWithValues: found) == expected.filter { $0.value > 1 })
            #expect(duplicates.map { $0.transactionID ?? "" } == expected.keys.sorted())
            for duplicate in duplicates {
                let lines = numbers.indices.filter { "\(20_000 + numbers[$0])" == duplicate.transactionID }.map {
                    $0 + 1
                }
                let places = duplicate.occurrences.filter { $0.source == "source 0" }
                #expect(places.map(\.line) == Array(lines.prefix(places.count)))
                #expect(duplicate.occurrences.count == min(duplicate.count, DuplicateReceipt.maximumOccurrences))
                #expect(duplicate.verifiedCount == duplicate.count && duplicate.isSameReceipt)
            }
        }
    }

    @Test("an ID of another app or environment is another one, and receipts that are not verified are counted apart")
    func identity() throws {
        let genuine = try receipt("1")
        let stranger = try TestAuthority().signer.sign(Fixture.transaction())
        var changed = [UInt8](genuine.utf8)
        changed[changed.count - 4] ^= 1
        let lines = [
            genuine, try receipt("1", environment: .production), try receipt("1", app: "com.example.other"),
            String(decoding: changed, as: UTF8.self), try receipt("1", quantity: 2), stranger, try Fixture.jws(),
        ]
        let (duplicates, _) = try find([lines])
        let first = try #require(duplicates.first)
        #expect(duplicates.map(\.transactionID) == ["1", Fixture.transaction().transactionId])
        #expect(first.bundleID == Fixture.bundleID && first.environment == "Sandbox")
        #expect(first.count == 3 && first.verifiedCount == 2 && !first.isSameReceipt)
        #expect(first.occurrences.map(\.record) == [1, 4, 5])
        #expect(first.occurrences.map(\.verdict) == [.verified, .unverified, .verified])
        // The signature of the second one was changed, and what is signed was not.
        #expect(first.occurrences[0].signedDigest == first.occurrences[1].signedDigest)
        #expect(first.occurrences[0].signedDigest != first.occurrences[2].signedDigest)
        #expect(duplicates[1].verifiedCount == 1)
        let verified = try find([lines], ResultContents(verdicts: [.verified])).duplicates
        #expect(verified.map(\.count) == [2])
    }

    @Test("a Google Play purchase is identified by its token, or by its order ID if it has none")
    func play() throws {
        let lines = [
            try purchase(token: "t1", order: "GPA.1"), try purchase(token: "t1", order: "GPA.2"),
            try purchase(token: nil, order: "GPA.1"), try purchase(token: "t2", order: "GPA.1"),
            try purchase(token: nil, order: "GPA.1", isSigned: false), try purchase(token: nil, order: nil),
            try purchase(token: nil, order: nil), try purchase(token: "t1", order: "GPA.1"),
        ]
        let (duplicates, _) = try find([lines])
        #expect(duplicates.map(\.purchaseToken) == [nil, "t1"])
        #expect(duplicates.map(\.transactionID) == ["GPA.1", nil])
        #expect(duplicates.map { $0.occurrences.map(\.line) } == [[3, 5], [1, 2, 8]])
        #expect(duplicates.map(\.verifiedCount) == [1, 3])
    }

    @Test("places tell the receipts of one record apart, and a notification presents no transaction")
    func places() throws {
        let jws = try Fixture.jws()
        var data = NotificationData()
        data.bundleId = Fixture.bundleID
        data.environment = .sandbox
        data.signedTransactionInfo = jws
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = .didRenew
        notification.data = data
        notification.signedDate = Timestamp(milliseconds: Fixture.signedAt)
        let notice = try #require(Fixture.authority).signer.sign(notification)
        #expect(try find([[notice, notice, jws]]).duplicates.isEmpty)
        let (duplicates, _) = try find([[notice, "[\"\(jws)\",\"\(jws)\"]"], [jws]])
        let found = try #require(duplicates.first)
        #expect(found.occurrences.map(\.source) == ["source 0", "source 0", "source 1"])
        #expect(found.occurrences.map(\.item) == [1, 2, 1])
        let signed = jws.split(separator: ".").prefix(2).joined(separator: ".")
        #expect(found.occurrences.first?.signedDigest == "\(try SHA256Digest.of(bytes: [UInt8](signed.utf8)))")
    }

    @Test("an ID of any length and content is compared as a whole")
    func hostileIDs() throws {
        let long = String(repeating: "9", count: 3000)
        let ids = [long + "1", long + "2", long + "1", "a\u{1}", "a", "a\u{1}", "=1;x\n", "=1;x\n", ""]
        let (duplicates, _) = try find([try ids.map { try receipt($0) }])
        #expect(Set(duplicates.map(\.count)) == [2])
        #expect(duplicates.compactMap(\.transactionID).filter { $0.hasPrefix("sha256:") }.count == 1)
        #expect(duplicates.compactMap(\.transactionID).filter { !$0.hasPrefix("sha256:") } == ["a\u{1}", "=1;x\n"])
        let csv = String(decoding: duplicates[1].csv(), as: UTF8.self)
        #expect(csv.hasPrefix("com.example.app,Sandbox,\"'=1;x\\u{a}\",,2,2,true,source 0,7,7,1,verified,"))
        let columns = csv.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).count
        }
        #expect(columns == [13, 13])
        #expect(String(decoding: DuplicateReceipt.csvHeader, as: UTF8.self).split(separator: ",").count == 13)
    }

    @Test("nothing is found in nothing")
    func empty() throws {
        let (duplicates, summary) = try find([[]])
        #expect(duplicates.isEmpty && summary.total == 0)
    }
}
