import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Counts of batch results")
struct ResultCountsTests {
    private func count(
        _ lines: [String],
        by names: [String],
        only verdicts: Set<Verdict> = Set(Verdict.allCases),
        jobs: Int = 1
    ) throws -> (groups: ResultCounts, summary: BatchSummary) {
        let batch = BatchVerifier(
            verifier: try Fixture.verifier(), output: .csv, jobs: jobs, keeping: .all,
            contents: ResultContents(hasPayload: true, verdicts: verdicts))
        let source = BatchSource(name: "a", bytes: [UInt8](lines.joined(separator: "\n").utf8))
        return try batch.count([source], by: try ResultFields(names))
    }

    private func receipt(_ product: String, price: Int64 = 1990, currency: String = "EUR") throws -> String {
        var transaction = Fixture.transaction()
        transaction.productId = product
        transaction.price = Milliunits(price)
        transaction.currency = currency
        return try #require(Fixture.authority).signer.sign(transaction)
    }

    @Test("results are counted by the values of fields, the largest group first, on any number of threads")
    func groups() throws {
        let receipts = [
            try receipt("b"), try receipt("a"), try receipt("b"),
            try receipt("=\"x\n", price: 500_000, currency: "JPY"),
            try receipt("b", price: 2000),
        ]
        let lines = (0..<200).flatMap { _ in receipts } + ["no receipt", "nor this"]
        for jobs in [1, 3] {
            let (counts, summary) = try count(lines, by: ["productId", "price"], jobs: jobs)
            #expect(counts.names == ["productId", "price"])
            #expect(
                counts.groups == [
                    .init(values: ["b", "1.99"], json: #"{"productId":"b","price":1.99}"#, count: 400),
                    .init(
                        values: ["=\"x\n", "500"], json: #"{"productId":"=\"x\n","price":500}"#, count: 200),
                    .init(values: ["a", "1.99"], json: #"{"productId":"a","price":1.99}"#, count: 200),
                    .init(values: ["b", "2.00"], json: #"{"productId":"b","price":2.00}"#, count: 200),
                    .init(values: [nil, nil], json: #"{"productId":null,"price":null}"#, count: 2),
                ])
            #expect(summary.total == 1002)
            #expect(summary.verdicts == [.verified: 1000, .undecided: 2])
            #expect(
                String(decoding: counts.csv(), as: UTF8.self)
                    == "productId,price,count\r\nb,1.99,400\r\n\"'=\"\"x\\u{a}\",500,200\r\na,1.99,200\r\nb,2.00,200\r\n"
                    + ",,2\r\n")
        }
        let ids = try count([try Fixture.jws()], by: ["transactionId"]).groups.csv(keepsDigits: true)
        #expect(String(decoding: ids, as: UTF8.self) == "transactionId,count\r\n\"=\"\"2000000000000001\"\"\",1\r\n")
        let verified = try count(lines, by: ["verdict"], only: [.verified])
        #expect(verified.groups.groups.map(\.json) == [#"{"verdict":"verified"}"#])
        #expect(verified.summary.total == 1002)
    }

    @Test("the numbers are those of the results when receipts of several signers, and no receipts, take turns")
    func signers() throws {
        let authority = try #require(Fixture.authority)
        let signers = [authority.signer, try authority.makeSigner()]
        let lines = try (0..<60).map { number in
            number % 7 == 3 ? "no receipt" : try signers[number / 3 % 2].sign(Fixture.transaction(number % 5))
        }
        let names = ["transactionId", "leafSha256", "verdict", "leafSerialNumber"]
        let run = try BatchRunner(contents: ResultContents(fields: try ResultFields(names)))
            .run([lines.joined(separator: "\n")])
        var expected: [[String?]: Int] = [:]
        for row in run.rows { expected[names.map { row[$0]?.text }, default: 0] += 1 }
        #expect(Set(expected.keys.map { $0[1] }).count == 3)
        let groups = try count(lines, by: names).groups.groups
        #expect(Dictionary(uniqueKeysWithValues: groups.map { ($0.values, $0.count) }) == expected)
    }

    @Test("values are told apart by where each ends")
    func boundaries() throws {
        let values = [("a", "bc"), ("ab", "c"), ("a\",\"b", "c"), ("a", "b\",\"c"), ("", "abc"), ("abc", "")]
        let lines = try values.map { try receipt($0, currency: $1) } + [try receipt("a", currency: "bc")]
        let counts = try count(lines, by: ["productId", "currency"]).groups
        #expect(counts.groups.map(\.count) == [2, 1, 1, 1, 1, 1])
        #expect(Set(counts.groups.map(\.values)) == Set(values.map { [$0, $1] }))
    }

    @Test("more groups, or more bytes of values, than the limits are an error, and known groups are not")
    func limits() throws {
        var counts = ResultCounts(names: ["line", "kind"], groupLimit: 3)
        func key(_ line: Int) -> GroupKey { GroupKey(bytes: [UInt8](",\(line),null".utf8)) }
        for number in 1...3 { try counts.add([key(number): 1]) }
        try counts.add([key(2): 7])
        #expect(counts.groups.map(\.count) == [8, 1, 1])
        let error = #expect(throws: BatchError.self) { try counts.add([key(4): 1]) }
        #expect(error?.code == .tooManyGroups)
        #expect(error?.message.hasPrefix("line,kind has more different values than can be counted") == true)

        counts = ResultCounts(names: ["line"], byteLimit: 100)
        let long = GroupKey(bytes: [UInt8](repeating: UInt8(ascii: "x"), count: 100))
        try counts.add([long: 1])
        try counts.add([long: 1])
        #expect(throws: BatchError.self) { try counts.add([GroupKey(bytes: [1]): 1]) }
    }
}
