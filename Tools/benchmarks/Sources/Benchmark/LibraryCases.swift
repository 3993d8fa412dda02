import CMeasurement
import ReceiptTypes
import ReceiptVerification

/// What the library does, measured in this process.
struct LibraryCases {
    let stopwatch: Stopwatch
    let threads: Int
    /// How many receipts there are of each sort.
    let count: Int

    // MARK: One by one

    func single() throws -> [Figure] {
        let material = try Material(signers: 1)
        let receipts = Self.lines(try material.transactions(4000))
        let warm = try material.verifier()
        for receipt in receipts.prefix(1000) { try Self.require(warm.verifyTransaction(receipt)) }
        let warmRatios = try stopwatch.ratios(signatures: receipts.count) {
            for receipt in receipts { try Self.require(warm.verifyTransaction(receipt)) }
        }
        let coldRatios = try stopwatch.ratios(signatures: 200) {
            for receipt in receipts.prefix(200) { try Self.require(material.verifier().verifyTransaction(receipt)) }
        }
        return [
            Figure("single-warm", "one by one, the signer's key known and prepared", warmRatios),
            Figure("single-cold", "one by one, the chain validated each time", coldRatios),
        ]
    }

    // MARK: Batches

    func oneSigner() throws -> [Figure] {
        let material = try Material(signers: 1)
        let lines = try material.transactions(count)
        var one: [Double] = []
        var many: [Double] = []
        var gains: [Double] = []
        var rawGains: [Double] = []
        for _ in 0..<stopwatch.rounds {
            let raw = try Stopwatch.rawSeconds()
            let rawTogether = try Stopwatch.rawSeconds(threads: threads)
            let alone = try Stopwatch.seconds { try run(lines, count, material.verifier(), jobs: 1) }
            let together = try Stopwatch.seconds { try run(lines, count, material.verifier(), jobs: threads) }
            let mean = (raw + (try Stopwatch.rawSeconds())) / 2
            one.append(mean * Double(count) / alone)
            many.append(mean * Double(count) / together)
            gains.append(alone / together)
            rawGains.append(raw * Double(threads) / rawTogether)
        }
        let refused = try stopwatch.ratios(signatures: count / 4) {
            try run(Self.damaged(lines, count / 4), count / 4, material.verifier(), jobs: 1, expecting: .unverified)
        }
        return [
            Figure("batch-one-thread", "\(count) transactions of one signer, JSON Lines, 1 thread", one),
            Figure("batch-threads", "the same on \(threads) threads", many),
            Figure("batch-gain", "\(threads) threads against one", gains),
            Figure("raw-gain", "what \(threads) threads gain for raw verification on this machine", rawGains),
            Figure("batch-refused", "receipts whose signatures do not fit, 1 thread", refused),
        ]
    }

    func manySigners(_ signers: Int) throws -> [Figure] {
        let material = try Material(signers: signers)
        let lines = try material.transactions(count)
        let ratios = try stopwatch.ratios(signatures: count) { try run(lines, count, material.verifier(), jobs: 1) }
        return [
            Figure("batch-\(signers)-signers", "\(count) transactions of \(signers) signers in turns, 1 thread", ratios)
        ]
    }

    func manyChains() throws -> [Figure] {
        let chains = max(count / 10, 100)
        let material = try Material(signers: chains)
        let lines = try material.transactions(chains)
        let chain = material.signers[0].chain
        var toValidation: [Double] = []
        var toRaw: [Double] = []
        for _ in 0..<min(stopwatch.rounds, 3) {
            let raw = try Stopwatch.rawSeconds()
            let before = try Self.rawChainSeconds(chain)
            let seconds = try Stopwatch.seconds { try run(lines, chains, material.verifier(), jobs: 1) }
            let validation = (before + (try Self.rawChainSeconds(chain))) / 2
            toValidation.append(validation * Double(chains) / seconds)
            toRaw.append(raw * Double(chains) / seconds)
        }
        return [
            Figure(
                "chains", "\(chains) chains, one receipt each, against reading and verifying the certificates alone",
                toValidation),
            Figure("chains-to-raw", "the same against one raw verification", toRaw),
        ]
    }

    private static func rawChainSeconds(_ chain: [[UInt8]]) throws -> Double {
        let repetitions = 500
        let seconds = chain[0].withUnsafeBufferPointer { leaf in
            chain[1].withUnsafeBufferPointer { intermediate in
                chain[2].withUnsafeBufferPointer { root in
                    [leaf, intermediate, root].map { raw_certificate(der: $0.baseAddress, count: $0.count) }
                        .withUnsafeBufferPointer { raw_chain_seconds($0.baseAddress, repetitions) }
                }
            }
        }
        guard seconds > 0 else { throw Stopwatch.Failure(what: "OpenSSL's own chain verification") }
        return seconds / Double(repetitions)
    }

    func notifications() throws -> [Figure] {
        let material = try Material(signers: 1)
        let notifications = max(count / 5, 100)
        let lines = try material.notifications(notifications)
        let ratios = try stopwatch.ratios(signatures: notifications * 3) {
            try run(lines, notifications, material.verifier(), jobs: 1)
        }
        return [
            Figure(
                "notifications", "notifications with two receipts in each, three signatures counted, 1 thread", ratios)
        ]
    }

    func play() throws -> [Figure] {
        let key = try TestPlayKey()
        let purchases = max(count / 10, 100)
        let lines = try Material.playPurchases(purchases, by: key)
        var keyring = PlayKeyring()
        keyring.add([UInt8](key.publicKey.utf8), forPackage: "com.example.application")
        let verifier = ReceiptVerifier(playKeys: keyring)
        let ratios = try (0..<stopwatch.rounds).map { _ in
            let raw = raw_rsa_seconds(2000, 380) / 2000
            return raw * Double(purchases) / (try Stopwatch.seconds { try run(lines, purchases, verifier, jobs: 1) })
        }
        return [Figure("play", "Google Play purchases against raw RSA-2048 verification, 1 thread", ratios)]
    }

    // MARK: Running

    private func run(
        _ lines: [UInt8], _ count: Int, _ verifier: ReceiptVerifier, jobs: Int, expecting verdict: Verdict = .verified
    ) throws {
        var byteCount = 0
        let batch = BatchVerifier(verifier: verifier, jobs: jobs)
        let summary = try batch.run([BatchSource(name: "bench", bytes: lines)]) { results, _ in
            byteCount += results.count
        }
        guard summary.verdicts == [verdict: count], byteCount > count else {
            throw Stopwatch.Failure(what: "a batch: \(summary.verdicts)")
        }
    }

    private static func lines(_ text: [UInt8]) -> [String] {
        text.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The first lines, each with the signature of the one before it.
    private static func damaged(_ lines: [UInt8], _ count: Int) -> [UInt8] {
        let receipts = lines.split(separator: 0x0A, maxSplits: count, omittingEmptySubsequences: true).prefix(count)
        var signature = receipts.last?.suffix(87) ?? []
        var output: [UInt8] = []
        for receipt in receipts {
            output += receipt.dropLast(87)
            output += signature
            output.append(0x0A)
            signature = receipt.suffix(87)
        }
        return output
    }

    private static func require(_ result: VerificationResult<JWSTransactionDecodedPayload>) throws {
        if case .unverified(let failure) = result { throw Stopwatch.Failure(what: failure.description) }
    }
}
