import ReceiptTestAuthority
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Batches over hostile input: positions that no run has reached, and short records with long results.
@Suite("Bounds of batches")
struct BatchBoundTests {
    private func source(_ text: String, _ format: BatchFormat = .lines) -> BatchSource {
        BatchSource(name: "a", format: format, bytes: [UInt8](text.utf8))
    }

    private func code(of text: String, _ format: BatchFormat = .lines, from start: BatchPosition) throws -> String? {
        do {
            _ = try BatchVerifier(verifier: try Fixture.verifier()).run([source(text, format)], from: start) { _, _ in }
            return nil
        } catch let error as BatchError {
            return error.code.rawValue
        }
    }

    @Test("a position with a negative or a huge number is an error, and no number traps")
    func impossiblePositions() throws {
        for number in [-1, Int.min, Int.max, 1 << 40] {
            #expect(try code(of: "a\nb\n", from: .init(source: number, offset: 0, lines: 0)) == "invalid-position")
            #expect(try code(of: "a\nb\n", from: .init(source: 0, offset: number, lines: 1)) == "invalid-position")
            #expect(try code(of: "a\nb\n", from: .init(source: 0, offset: 2, lines: number)) == "invalid-position")
        }
        #expect(try code(of: "", from: .init(source: 0, offset: .max, lines: .max)) == "invalid-position")
    }

    @Test("a position past the end or inside a line, or with another number of lines, is an error")
    func wrongPositions() throws {
        #expect(try code(of: "a\nb\n", from: .init(source: 0, offset: 5, lines: 2)) == "invalid-position")
        #expect(try code(of: "aa\nb\n", from: .init(source: 0, offset: 1, lines: 0)) == "source-changed")
        #expect(try code(of: "a\nb\n", from: .init(source: 0, offset: 2, lines: 2)) == "source-changed")
        #expect(try code(of: "a\nb\n", from: .init(source: 0, offset: 2, lines: 1)) == nil)
        #expect(try code(of: "a\nb", from: .init(source: 0, offset: 3, lines: 1)) == nil)
        #expect(try code(of: "abc", .whole, from: .init(source: 0, offset: 2, lines: 1)) == "source-changed")
        #expect(try code(of: "abc", .whole, from: .init(source: 0, offset: 3, lines: 1)) == nil)
    }

    @Test("a run that starts at a position of another run ends with an error if the bytes before it have changed")
    func changedSource() throws {
        var reached = BatchPosition()
        let batch = BatchVerifier(verifier: try Fixture.verifier())
        _ = try batch.run([source("first\nsecond\n")]) { _, progress in reached = progress.position }
        #expect(reached.offset == 13 && reached.lines == 2)
        #expect(try code(of: "first\nsecond\nthird\n", from: reached) == nil)
        #expect(try code(of: "first\nsecand\nthird\n", from: reached) == "source-changed")
        reached.consumed = nil
        #expect(try code(of: "first\nsecand\nthird\n", from: reached) == nil)
    }

    @Test(
        "a record with more receipts than the limit is undecided and none of them is verified", arguments: [1, 3])
    func tooManyReceipts(jobs: Int) throws {
        let jws = try Fixture.jws()
        func line(_ count: Int) -> String {
            "[" + Array(repeating: "\"\(jws)\"", count: count).joined(separator: ",") + "]\n"
        }
        let batch = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs)
        let summary = try batch.run([source(line(64) + line(65))]) { _, _ in }
        #expect(summary.verdicts == [.verified: 64, .undecided: 1])
        #expect(summary.codes == ["too-many-receipts": 1])
        let wide = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs, maximumReceiptsPerRecord: 65)
        #expect(try wide.run([source(line(65))]) { _, _ in }.verdicts == [.verified: 65])
        let flood = "[" + Array(repeating: "\"eyJ..\"", count: 25_000).joined(separator: ",") + "]\n"
        for format in [BatchFormat.lines, .json(field: "x"), .whole] {
            #expect(try batch.run([source(flood, format)]) { _, _ in }.codes == ["too-many-receipts": 1])
        }
    }

    @Test("JSON of any depth and width has the same code alone as in a batch")
    func codesOfOneRecord() throws {
        let verifier = try Fixture.verifier()
        let batch = BatchVerifier(verifier: verifier, isEveryRecordAnswered: true)
        for count in [1, 60, 130, 1000, 5000, 9000] {
            let texts = [
                String(repeating: "[", count: count) + String(repeating: "]", count: count),
                String(repeating: "{\"a\":", count: count) + "1" + String(repeating: "}", count: count),
                "[" + Array(repeating: "1", count: count).joined(separator: ",") + "]",
            ]
            for text in texts {
                let alone = verifier.verifyRecord([UInt8](text.utf8)).failure?.code
                let codes = try batch.run([source(text + "\n")]) { _, _ in }.codes
                #expect(codes == [alone?.rawValue ?? "": 1], "\(count) \(text.prefix(4))")
                #expect(alone == (count < 8192 ? .formatUnrecognized : .tooManyReceipts), "\(count)")
            }
        }
    }

    @Test("long results of short records come in parts, and each part ends at a position to resume from")
    func partsOfResults() throws {
        let text = String(repeating: "x\n", count: 5000) + "the last"
        let batch = BatchVerifier(verifier: try Fixture.verifier())
        var whole: [UInt8] = []
        var parts: [(position: BatchPosition, count: Int)] = []
        _ = try batch.run([source(text)]) { lines, progress in
            whole += lines
            parts.append((progress.position, whole.count))
            #expect(lines.count < 2 * BatchMemory.partSize)
        }
        #expect(parts.count > 3)
        for part in parts {
            for jobs in [1, 2] {
                var rest: [UInt8] = []
                let later = BatchVerifier(verifier: try Fixture.verifier(), jobs: jobs)
                _ = try later.run([source(text)], from: part.position) { lines, _ in rest += lines }
                #expect(rest == [UInt8](whole.dropFirst(part.count)))
            }
        }
    }

    @Test("a block counts the memory that it holds, and a small block does not hold the buffer it was read into")
    func heldBytes() throws {
        func firstBlock(_ text: String, _ format: BatchFormat, isImmediate: Bool) throws -> BatchBlock {
            let rest = Locked<[UInt8]?>([UInt8](text.utf8))
            let source = BatchSource(name: "a", format: format) { buffer in
                buffer.reserveCapacity(buffer.count + 524_288)
                return rest.withLock { rest in
                    defer { rest = nil }
                    buffer += rest ?? []
                    return rest != nil
                }
            }
            var reader = BlockReader(source, recordLimit: 1_000_000, isImmediate: isImmediate)
            return try #require(try reader.next())
        }
        let incomplete = "x\n" + String(repeating: "y", count: 400_000)
        for block in [
            try firstBlock(incomplete, .lines, isImmediate: true), try firstBlock("xy", .lines, isImmediate: false),
            try firstBlock("xy", .whole, isImmediate: false),
        ] {
            switch block.content {
            case .records(let bytes), .whole(let bytes):
                #expect(bytes.count == 2 && bytes.capacity <= block.byteCount)
            case .oversized: Issue.record("the block has no records")
            }
            #expect((2..<1000).contains(block.byteCount))
        }
        let large = try firstBlock(String(repeating: "x\n", count: 200_000), .lines, isImmediate: true)
        #expect(large.byteCount >= 524_288)
    }

    @Test("workers wait while results are not written, with any number of jobs")
    func backPressure() {
        let conveyor = BatchConveyor(window: 9)
        let block = BatchBlock(
            source: "a", format: .lines, firstLine: 1, content: .oversized(byteCount: 1), end: BatchPosition())
        for _ in 0..<3 { #expect(conveyor.submit(block)) }
        conveyor.complete(nil)
        let part = BatchOutput(lines: [UInt8](repeating: 0x20, count: BatchMemory.partSize))
        let room = BatchMemory.outputLimit / BatchMemory.partSize
        let delivered = Locked(0)
        for number in 0..<3 {
            let isStarted = conveyor.startWorker {
                guard let (_, block) = conveyor.takeBlock() else { return }
                for _ in 0..<room {
                    conveyor.deliver(part, number: number)
                    delivered.withLock { $0 += 1 }
                }
                conveyor.finish(block, number: number)
            }
            #expect(isStarted)
        }
        var taken = 0
        while (try? conveyor.nextOutput()) ?? nil != nil {
            taken += 1
            // One more part than fits can wait: that of the block whose results are taken.
            #expect(delivered.withLock { $0 } <= taken + room + 3)
        }
        #expect(taken == 3 * room)
        conveyor.abandon()
    }

    @Test("a row and the summary show a revoked purchase, also inside a notification, in JSON Lines and CSV")
    func revokedPurchases() throws {
        let signer = try #require(Fixture.authority).signer
        let transaction = try signer.sign(
            [
                "bundleId": .string(Fixture.bundleID), "environment": .string("Sandbox"), "transactionId": .string("1"),
                "originalTransactionId": .string("1"), "productId": .string("p"), "type": .string("Consumable"),
                "inAppOwnershipType": .string("PURCHASED"),
                "signedDate": .integer(Fixture.signedAt), "purchaseDate": .integer(Fixture.signedAt),
                "revocationDate": .integer(1_759_999_999_000),
            ])
        let notification = try signer.sign(
            [
                "notificationType": .string("REFUND"), "notificationUUID": .string("1"), "version": .string("2.0"),
                "signedDate": .integer(Fixture.signedAt),
                "data": .object([
                    "bundleId": .string(Fixture.bundleID), "environment": .string("Sandbox"),
                    "signedTransactionInfo": .string(transaction),
                ]),
            ])
        let text = "\(transaction)\n\(notification)\n\(try Fixture.jws())\n"
        var output: [UInt8] = []
        let summary = try BatchVerifier(verifier: try Fixture.verifier()).run([source(text)]) { lines, _ in
            output += lines
        }
        let rows = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap {
            (try? JSONDocument.value(of: [UInt8]($0.utf8)))?.object
        }
        #expect(rows.map { $0["verdict"]?.text } == ["verified", "verified", "verified"])
        #expect(rows.map { $0["revocationDate"]?.text } == ["2025-10-09T08:53:19Z", "2025-10-09T08:53:19Z", nil])
        #expect(rows.map { $0["revoked"] } == [.boolean(true), .boolean(true), nil])
        #expect(summary.revoked == 2 && summary.verdicts == [.verified: 3])
        #expect(summary.json["revoked"]?.integer == 2)
        output = []
        _ = try BatchVerifier(verifier: try Fixture.verifier(), output: .csv).run([source(text)]) { lines, _ in
            output += lines
        }
        let records = String(decoding: output, as: UTF8.self).split(separator: "\r\n")
        #expect(records.map { $0.contains(",2025-10-09T08:53:19Z,true,") } == [false, true, true, false])
    }
}
