import Foundation
import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// The results of a batch do not depend on how it runs.
@Suite("Agreement of batches")
struct BatchAgreementTests {
    /// The compared members of a result. Foundation decodes them because a damaged value can contain a NUL, which the
    /// library's own parser rejects.
    private struct Row: Decodable {
        let line: Int
        let verdict: String
        let code: String?
        let expected: String?
        let actual: String?
        let transactionId: String?
    }

    /// Lines with valid, damaged and other input from several signers.
    private static let lines: [[UInt8]]? = try? makeLines(
        ProcessInfo.processInfo.environment["RECEIPT_COUNT"].flatMap(Int.init) ?? 300
    )

    private static func makeLines(_ count: Int) throws -> [[UInt8]] {
        let authority = try #require(Fixture.authority)
        let stranger = try TestAuthority()
        let signers = try (0..<5).map { _ in try authority.makeSigner() } + [stranger.signer]
        var generator = SplitMix64(seed: 11)
        return try (0..<count).map { number in
            let signer = signers[number % 17 == 0 ? 5 : number % 5]
            var line = [UInt8](try Fixture.jws(number, by: signer).utf8)
            switch number % 9 {
            case 1:
                line[Int.random(in: 0..<line.count, using: &generator)] = UInt8.random(
                    in: 0x21...0x7e, using: &generator)
            case 2: line.removeLast(Int.random(in: 1..<line.count, using: &generator))
            case 3: line.append(contentsOf: [0xBE, 0xA5])
            case 4: line = [UInt8]("\"\(String(decoding: line, as: UTF8.self))\"".utf8)
            case 5: line = [UInt8](try signer.sign(notification(number, by: signer)).utf8)
            case 6: line = [UInt8](try signer.sign(payload: [UInt8]("[\(number)]".utf8)))
            default: break
            }
            return line.filter { $0 != 0x0A }
        }
    }

    private static func notification(_ number: Int, by signer: TestSigner) throws -> JSONObject {
        [
            "notificationType": .string("DID_RENEW"), "notificationUUID": .string("\(number)"),
            "version": .string("2.0"),
            "signedDate": .integer(Fixture.signedAt),
            "data": .object([
                "bundleId": .string(Fixture.bundleID), "environment": .string("Sandbox"),
                "signedTransactionInfo": .string(try Fixture.jws(number, by: signer)),
            ]),
        ]
    }

    private func run(_ text: [UInt8], jobs: Int, threshold: Int, piece: Int) throws -> String {
        let verifier = try Fixture.verifier(keyCache: VerificationKeyCache(preparationThreshold: threshold))
        let source = BatchSource(name: "a", text, inPiecesOf: piece)
        var output: [UInt8] = []
        _ = try BatchVerifier(verifier: verifier, jobs: jobs).run([source]) { lines, _ in output += lines }
        return String(decoding: output, as: UTF8.self)
    }

    @Test("[CARD-6] results do not depend on threads, tables or pieces, and are those of single receipts")
    func resultsAreIndependentOfExecution() throws {
        let lines = try #require(Self.lines)
        let text = [UInt8](lines.joined(separator: [0x0A]))
        let reference = try run(text, jobs: 1, threshold: .max, piece: text.count)
        #expect(try run(text, jobs: 1, threshold: 1, piece: 100_003) == reference)
        #expect(try run(text, jobs: 2, threshold: 1, piece: 4099) == reference)
        #expect(try run(text, jobs: 4, threshold: 20, piece: min(text.count / 4, 524_288)) == reference)

        let rows = try reference.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
        let verifier = try Fixture.verifier()
        let alone = lines.enumerated().flatMap { number, line in
            line.isEmpty ? [] : ReceiptInput.detect(line).map { (number + 1, verifier.verify($0)) }
        }
        #expect(rows.count == alone.count)
        for (row, (line, report)) in zip(rows, alone) {
            #expect(row.line == line)
            #expect(row.verdict == report.verdict.rawValue)
            #expect(row.code == report.failure?.code.rawValue)
            #expect(row.expected == report.failure?.expected)
            // A batch adds what a search of the record would find.
            #expect((row.actual ?? "").hasPrefix(report.failure?.actual ?? ""))
            #expect((row.actual == nil) == (report.failure?.actual == nil))
            // The row of a notification has the ID of its transaction.
            let payloads = report.verdict == .verified ? [report.payload] + report.nested.map(\.report.payload) : []
            #expect(row.transactionId == payloads.lazy.compactMap { $0?["transactionId"]?.text }.first)
        }
        let verdicts = Set(alone.map(\.1.verdict))
        #expect(verdicts == [.verified, .unverified])
    }

    @Test("receipts that are verified together have the same reports, in order, as verified one by one")
    func reportsAgree() throws {
        // Each kind of line by each signer that it can have.
        let inputs = try #require(Self.lines).prefix(140).filter { !$0.isEmpty }.flatMap { ReceiptInput.detect($0) }
        let verifier = try Fixture.verifier(keyCache: VerificationKeyCache(preparationThreshold: 1))
        var reports: [ReceiptReport] = []
        verifier.verify(inputs) { reports.append($0) }
        #expect(reports.count == inputs.count)
        for (input, report) in zip(inputs, reports) {
            let alone = verifier.verify(input)
            #expect(report.verdict == alone.verdict)
            #expect(report.failure == alone.failure)
            #expect(report.payload == alone.payload)
            #expect(report.nested.map(\.report.verdict) == alone.nested.map(\.report.verdict))
        }
    }

    @Test("[CARD-6] a run from the position of another writes exactly the remaining results", arguments: [1, 3])
    func runsContinue(jobs: Int) throws {
        let lines = try #require(Self.lines).prefix(40)
        let text = [UInt8](lines.joined(separator: [0x0A]))
        let one = BatchSource(name: "one line without a line feed", bytes: [UInt8]("{}".utf8))
        // Each piece ends in a line, and its complete lines make a block.
        let sources = [one] + ["a", "b"].map { BatchSource(name: $0, text, inPiecesOf: text.count / 3) }
        let batch = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs, isImmediate: true)
        var reached: [(position: BatchPosition, byteCount: Int, total: Int)] = []
        var complete: [UInt8] = []
        _ = try batch.run(sources) { lines, progress in
            complete += lines
            reached.append((progress.position, complete.count, progress.summary.total))
        }
        #expect(reached.count > 4)
        for point in reached {
            var rest: [UInt8] = []
            let one = BatchSource(name: one.name, bytes: [UInt8]("{}".utf8))
            let sameSources = [one] + ["a", "b"].map { BatchSource(name: $0, text, inPiecesOf: text.count / 3) }
            let summary = try batch.run(sameSources, from: point.position) { lines, _ in rest += lines }
            #expect(rest == [UInt8](complete[point.byteCount...]))
            #expect(summary.total + point.total == reached.last?.total)
        }
    }
}

extension BatchSource {
    /// Creates a source whose bytes arrive in pieces.
    fileprivate init(name: String, _ bytes: [UInt8], inPiecesOf count: Int) {
        let rest = Locked(bytes[...])
        self.init(name: name) {
            rest.withLock { rest -> [UInt8]? in
                guard !rest.isEmpty else { return nil }
                defer { rest = rest.dropFirst(count) }
                return [UInt8](rest.prefix(count))
            }
        }
    }
}
