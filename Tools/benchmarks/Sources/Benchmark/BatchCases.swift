import ReceiptTypes
import ReceiptVerification

/// Batches of receipts of the App Store by few signers, whose chains cost next to nothing.
struct BatchCases {
    let stopwatch: Stopwatch
    let threads: Int
    /// How many transactions there are.
    let count: Int

    /// One signer, on one thread and on several.
    func oneSigner() throws -> [Figure] {
        let material = try Material(signers: 1)
        let run = BatchRun(lines: try material.transactions(count), count: count)
        var (one, many): ([Ratio], [Ratio]) = ([], [])
        var (gains, rawGains): ([Ratio], [Ratio]) = ([], [])
        for _ in 0..<stopwatch.rounds {
            let before = try stopwatch.raw()
            let alone = try run.measure(by: material.verifier())
            let between = try stopwatch.raw()
            let rawTogether = try stopwatch.raw(threads: threads)
            let together = try run.measure(by: material.verifier(), jobs: threads)
            let after = try stopwatch.raw()
            one.append(Ratio(of: Elapsed.mean(before, between) * Double(count), to: alone))
            many.append(Ratio(of: Elapsed.mean(between, after) * Double(count), to: together))
            gains.append(Ratio(alone.seconds / together.seconds))
            // Each of the threads verifies as many as the single one.
            let raw = Elapsed.mean(between, after)
            rawGains.append(Ratio(raw.seconds * Double(threads) / rawTogether.seconds))
        }
        return [
            Figure("batch-one-thread", "\(count) transactions of one signer to JSON Lines, 1 thread", one),
            Figure("batch-threads", "the same on \(threads) threads", many),
            Figure("batch-gain", "\(threads) threads against one", gains),
            Figure(
                "raw-gain", "what \(threads) threads gain for raw verification: this machine's limit", rawGains,
                better: .neither),
        ]
    }

    /// Signers that take turns.
    func manySigners(_ signers: Int) throws -> [Figure] {
        let material = try Material(signers: signers)
        let run = BatchRun(lines: try material.transactions(count), count: count)
        let ratios = try stopwatch.ratios(signatures: count) { try run.measure(by: material.verifier()) }
        return [
            Figure("signers-\(signers)", "\(count) transactions of \(signers) signers in turns, 1 thread", ratios)
        ]
    }

    /// Notifications with a transaction and a renewal info in each.
    func notifications() throws -> [Figure] {
        let count = max(count / 5, 100)
        let material = try Material(signers: 1)
        let run = BatchRun(lines: try material.notifications(count), count: count)
        let ratios = try stopwatch.ratios(signatures: count * 3) { try run.measure(by: material.verifier()) }
        return [
            Figure("notifications", "\(count) notifications, three signatures counted in each, 1 thread", ratios)
        ]
    }

    /// Receipts of a known signer whose signatures do not fit: each costs a second look.
    func refused() throws -> [Figure] {
        let count = max(count / 5, 100)
        let material = try Material(signers: 1)
        let lines = Self.exchangingSignatures(of: try material.transactions(count))
        let run = BatchRun(lines: lines, count: count, verdict: .unverified)
        let ratios = try stopwatch.ratios(signatures: count) { try run.measure(by: material.verifier()) }
        return [Figure("refused", "\(count) receipts whose signatures do not fit, 1 thread", ratios)]
    }

    /// Each line with the signature of the one before it.
    private static func exchangingSignatures(of lines: [UInt8]) -> [UInt8] {
        let receipts = lines.split(separator: UInt8(ascii: "\n"))
        // A dot, and 64 bytes in base64url.
        let length = 87
        var signature = receipts.last?.suffix(length) ?? []
        var output: [UInt8] = []
        output.reserveCapacity(lines.count)
        for receipt in receipts {
            output += receipt.dropLast(length)
            output += signature
            output.append(UInt8(ascii: "\n"))
            signature = receipt.suffix(length)
        }
        return output
    }
}
