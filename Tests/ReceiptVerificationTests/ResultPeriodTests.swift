import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Periods of batch results")
struct ResultPeriodTests {
    private func time(_ offset: Int64) -> Timestamp? { Timestamp(milliseconds: Fixture.signedAt + offset) }

    private func receipt(signed: Int64, bought: Int64? = nil) throws -> String {
        var transaction = Fixture.transaction()
        transaction.signedDate = time(signed)
        transaction.purchaseDate = bought.flatMap(time)
        return try #require(Fixture.authority).signer.sign(transaction)
    }

    private func run(_ period: ResultPeriod, _ lines: [String], jobs: Int = 1) throws -> BatchRunner.Run {
        var runner = BatchRunner()
        runner.contents = ResultContents(period: period)
        runner.jobs = jobs
        return try runner(lines.joined(separator: "\n"))
    }

    private func lines(_ run: BatchRunner.Run) -> [Int64] { run.rows.compactMap { $0["line"]?.integer } }

    @Test("results from the first instant to before the last one are written, and all are counted")
    func boundaries() throws {
        let receipts = try [-1, 0, 999, 1000].map { try receipt(signed: $0) }
        for (start, end, expected) in [
            (time(0), time(1000), [2, 3]), (nil, time(0), [1]), (time(1000), nil, [4]), (nil, nil, [1, 2, 3, 4]),
        ] as [(Timestamp?, Timestamp?, [Int64])] {
            let result = try run(try ResultPeriod(from: start, until: end), receipts, jobs: 2)
            #expect(lines(result) == expected)
            #expect(result.summary.total == 4 && result.summary.undated == 0)
            #expect(result.summary.json["undated"] == nil)
        }
    }

    @Test("a period without boundaries leaves nothing out, and its dates are those of day and month")
    func unlimited() throws {
        let receipts = [try receipt(signed: 0, bought: -90_000_000), "no receipt"]
        var runner = BatchRunner()
        for (dates, day) in [(nil, "2025-10-09"), (["purchaseDate"], "2025-10-08")] as [([String]?, String)] {
            runner.contents = ResultContents(
                fields: try ResultFields(["day", "message", "hint"]), period: try ResultPeriod(by: dates))
            let run = try runner(receipts.joined(separator: "\n"))
            #expect(run.rows.map { $0["day"]?.text } == [day, nil])
            #expect(run.rows.map { $0["message"]?.text }.last == "The input is not a receipt in a known format")
            #expect(run.rows.last?["hint"]?.text?.hasPrefix("pass a compact JWS") == true)
            #expect(run.summary.undated == 0)
        }
    }

    @Test("results without the date are left out and counted, also in a run that continues")
    func undated() throws {
        let tampered = try receipt(signed: 0).dropLast(6) + "AAAAAA"
        let receipts = [try receipt(signed: 0), String(tampered), "no receipt", try receipt(signed: 5)]
        let result = try run(try ResultPeriod(from: time(0)), receipts)
        #expect(lines(result) == [1, 4])
        #expect(result.summary.undated == 2)
        #expect(result.summary.verdicts == [.verified: 2, .unverified: 1, .undecided: 1])
        #expect(BatchSummary(json: result.summary.json) == result.summary)
        var wrong = result.summary.json
        wrong["undated"] = .integer(5)
        #expect(BatchSummary(json: wrong) == nil)
        // Those that are not chosen by their verdict are not counted as undated.
        var runner = BatchRunner()
        runner.contents = ResultContents(verdicts: [.verified], period: try ResultPeriod(from: time(0)))
        #expect(try runner.run([receipts.joined(separator: "\n")]).summary.undated == 0)
    }

    @Test("the first date that a receipt has is compared, in any payload that fields lead to")
    func dates() throws {
        let receipts = [try receipt(signed: 0, bought: -5000), try receipt(signed: 0)]
        let bought = try ResultPeriod(until: time(-1), by: ["purchaseDate"])
        #expect(lines(try run(bought, receipts)) == [1])
        #expect(try run(bought, receipts).summary.undated == 1)
        let either = try ResultPeriod(from: time(0), by: ["transaction.purchaseDate", "signedDate"])
        #expect(lines(try run(either, receipts)) == [2])
        #expect(lines(try run(try ResultPeriod(from: time(0), by: ["revocationDate"]), receipts)).isEmpty)
        #expect(lines(try run(try ResultPeriod(from: time(0), by: ["expiresDate"]), receipts)).isEmpty)
    }

    @Test("a name that is no field, or a field that is no date, is an error that lists the dates")
    func wrongNames() throws {
        let unknown = #expect(throws: BatchError.self) { _ = try ResultPeriod(by: ["purchasDate"]) }
        #expect(unknown?.code == .noSuchResultField && unknown?.suggestion == "purchaseDate")
        for name in ["quantity", "verdict", "payload.signedDate", "price"] {
            let error = #expect(throws: BatchError.self) { _ = try ResultPeriod(by: ["signedDate", name]) }
            #expect(error?.code == .notADate && error?.detail == name)
            #expect(error?.message == "the field \(name) is no date")
            #expect(error?.names.prefix(3) == ["signedDate", "revocationDate", "expiresDate"])
        }
    }
}
