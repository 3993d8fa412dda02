import ReceiptTypes
import ReceiptVerification

/// Batches of App Store receipts by few signers, so that validating chains costs almost nothing.
struct BatchCases {
    let stopwatch: Stopwatch
    let threads: Int
    /// The number of transactions.
    let count: Int

    /// Measures one signer, on one thread and on several.
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
            // Each thread verifies as many signatures as the single one.
            let raw = Elapsed.mean(between, after)
            rawGains.append(Ratio(raw.seconds * Double(threads) / rawTogether.seconds))
        }
        return [
            Figure("batch-one-thread", "\(count) transactions of one signer to JSON Lines, 1 thread", one),
            Figure("batch-threads", "the same on \(threads) threads", many),
            Figure("batch-gain", "\(threads) threads against one", gains),
            Figure(
                "raw-gain", "\(threads) threads against one for raw verification: this machine's limit", rawGains,
                better: .neither),
        ]
    }

    /// Measures several signers in turns.
    func manySigners(_ signers: Int) throws -> [Figure] {
        let material = try Material(signers: signers)
        let run = BatchRun(lines: try material.transactions(count), count: count)
        let ratios = try stopwatch.ratios(signatures: count) { try run.measure(by: material.verifier()) }
        return [
            Figure("signers-\(signers)", "\(count) transactions of \(signers) signers in turns, 1 thread", ratios)
        ]
    }

    /// Measures notifications, each with a transaction and a renewal info inside.
    func notifications() throws -> [Figure] {
        let count = max(count / 5, 100)
        let material = try Material(signers: 1)
        let run = BatchRun(lines: try material.notifications(count), count: count)
        let ratios = try stopwatch.ratios(signatures: count * 3) { try run.measure(by: material.verifier()) }
        return [
            Figure("notifications", "\(count) notifications with three signatures each, 1 thread", ratios)
        ]
    }

    /// Measures receipts of a known signer with invalid signatures, each of which plain verification has to confirm.
    func refused() throws -> [Figure] {
        let count = max(count / 5, 100)
        let material = try Material(signers: 1)
        let lines = Self.exchangingSignatures(of: try material.transactions(count))
        let run = BatchRun(lines: lines, count: count, verdict: .unverified)
        let ratios = try stopwatch.ratios(signatures: count) { try run.measure(by: material.verifier()) }
        return [Figure("refused", "\(count) receipts with invalid signatures, 1 thread", ratios)]
    }

    /// Returns the lines, each with the signature of the line before it.
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
