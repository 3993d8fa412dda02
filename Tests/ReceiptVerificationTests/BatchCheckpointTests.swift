import ReceiptTypes
import Testing

@testable import ReceiptVerification

@Suite("Checkpoints of batches")
struct BatchCheckpointTests {
    private func sample() throws -> BatchCheckpoint {
        var position = BatchPosition()
        var summary = BatchSummary()
        let source = BatchSource(name: "a", bytes: [UInt8]((try Fixture.jws() + "\nnothing\n").utf8))
        _ = try BatchVerifier(verifier: try Fixture.verifier()).run([source]) { _, progress in
            position = progress.position
            summary = progress.summary
        }
        return BatchCheckpoint(
            run: try SHA256Digest.of(bytes: [1]), byteCount: 700, results: try SHA256Digest.of(bytes: [2]),
            position: position, summary: summary)
    }

    private func isDamaged(_ text: String) -> Bool { (try? BatchCheckpoint([UInt8](text.utf8))) == nil }

    @Test("a checkpoint is read as it was written")
    func roundTrip() throws {
        let checkpoint = try sample()
        #expect(checkpoint.position.consumed != nil)
        #expect(try BatchCheckpoint(checkpoint.text) == checkpoint)
    }

    @Test("a checkpoint with any number replaced by an impossible one is damaged")
    func impossibleNumbers() throws {
        let text = String(decoding: try sample().text, as: UTF8.self)
        var count = 0
        for match in text.matches(of: /:\d+/) {
            for number in ["-1", "9223372036854775807", "-9223372036854775808", "1e300", "72057594037927937", "null"] {
                var changed = text
                changed.replaceSubrange(match.range, with: ":\(number)")
                #expect(isDamaged(changed), "\(changed)")
                count += 1
            }
        }
        #expect(count > 60)
    }

    @Test("a checkpoint that counts results at the beginning of the first input is damaged")
    func resultsOfNothing() throws {
        let sample = try sample()
        let checkpoint = BatchCheckpoint(
            run: sample.run, byteCount: sample.byteCount, results: sample.results, position: BatchPosition(),
            summary: sample.summary)
        #expect(isDamaged(String(decoding: checkpoint.text, as: UTF8.self)))
    }

    @Test("a checkpoint that is cut at any length is damaged")
    func truncation() throws {
        let text = try sample().text
        for length in 0..<text.count - 1 {
            #expect(isDamaged(String(decoding: text.prefix(length), as: UTF8.self)))
        }
    }

    @Test("a checkpoint of another version is damaged")
    func otherVersion() throws {
        let text = String(decoding: try sample().text, as: UTF8.self)
        let version = "\"version\":\(BatchCheckpoint.version)"
        for other in [0, 4, 6] { #expect(isDamaged(text.replacing(version, with: "\"version\":\(other)"))) }
    }
}
