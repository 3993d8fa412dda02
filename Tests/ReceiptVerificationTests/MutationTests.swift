import Foundation
import ReceiptTypes
import Testing

@testable import ReceiptVerification

/// Verifies receipts with random damage. The environment variable `RECEIPT_MUTATIONS` sets their number.
@Suite("Mutations")
struct MutationTests {
    private static let count = ProcessInfo.processInfo.environment["RECEIPT_MUTATIONS"].flatMap(Int.init) ?? 20_000

    @Test("[OTP-7.4] a receipt with random damage is never verified and never ends the process")
    func damageNeverVerifies() throws {
        let verifier = try Fixture.verifier()
        let good = try (0..<20).map { [UInt8](try Fixture.jws($0).utf8) }
        let known = Set(good)
        for text in good { #expect(verifier.verify(.jws(text)).verdict == .verified) }
        var generator = SplitMix64(seed: 42)
        var accepted = 0
        var codes: Set<String> = []
        let before = residentPages()
        for round in 0..<Self.count {
            let mutated = mutate(good, &generator)
            guard !known.contains(mutated) else { continue }
            let report = verifier.verify(.jws(mutated))
            if let code = report.failure?.code { codes.insert(code.rawValue) }
            if report.verdict == .verified {
                accepted += 1
                Issue.record("round \(round) is verified: \(String(decoding: mutated, as: UTF8.self))")
            }
        }
        #expect(accepted == 0)
        #expect(codes.isSuperset(of: ["encoding", "segment-count", "signature-invalid"]))
        // 64 MB in pages of 4 kB: far above noise, and below a leak of 1 kB in each round.
        if Self.count >= 100_000 { #expect(residentPages() - before < 16_384) }
    }

    private func mutate(_ good: [[UInt8]], _ generator: inout SplitMix64) -> [UInt8] {
        var text = good.randomElement(using: &generator) ?? []
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            text[Int.random(in: text.indices, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1:
            text.removeLast(Int.random(in: 1...text.count, using: &generator))
        case 2:
            let other = good.randomElement(using: &generator) ?? []
            let cut = Int.random(in: text.indices, using: &generator)
            text = text[..<cut] + other.suffix(max(text.count - cut, 0))
        case 3:
            var segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map {
                [UInt8]($0)
            }
            segments.insert(
                segments[Int.random(in: 0..<3, using: &generator)], at: Int.random(in: 0...3, using: &generator))
            text = [UInt8](segments.joined(separator: [UInt8(ascii: ".")]))
        case 4:
            let start = Int.random(in: text.indices, using: &generator)
            text.removeSubrange(start..<min(start + Int.random(in: 1...64, using: &generator), text.count))
        default:
            let index = Int.random(in: text.indices, using: &generator)
            text.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        }
        return text
    }

    /// Returns the resident memory in pages; 0 on systems without procfs.
    private func residentPages() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
        return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
