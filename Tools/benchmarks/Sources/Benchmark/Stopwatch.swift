import CMeasurement

/// Measures something between two measurements of what OpenSSL does by itself, so that what disturbs one disturbs the
/// others too.
struct Stopwatch {
    /// How often each case is measured.
    let rounds: Int
    /// Verifications of one raw measurement.
    private let rawCount: Int

    /// Makes what is measured ready, keys and all.
    init(rounds: Int, threads: Int, rawCount: Int) throws {
        self.rounds = rounds
        self.rawCount = rawCount
        guard raw_verify(raw_es256, 1, threads) == 1, raw_verify(raw_rsa_sha1, 1, 1) == 1 else {
            throw Failure("OpenSSL could not make the keys for raw verification")
        }
    }

    /// The ratios of some work's rate to the rate of raw verification, one a round.
    ///
    /// - Parameters:
    ///   - signatures: How many signatures the work verifies.
    ///   - work: Does the work and times it.
    func ratios(
        signatures: Int, to kind: raw_kind = raw_es256, _ work: () throws -> Elapsed
    ) throws -> [Ratio] {
        try (0..<rounds).map { _ in
            let before = try raw(kind)
            let time = try work()
            let reference = Elapsed.mean(before, try raw(kind))
            return Ratio(of: reference * Double(signatures), to: time)
        }
    }

    /// The time for one raw verification on each of some threads.
    func raw(_ kind: raw_kind = raw_es256, threads: Int = 1) throws -> Elapsed {
        var isDone = false
        let time = Elapsed.measure { isDone = raw_verify(kind, rawCount, threads) == 1 }
        guard isDone else { throw Failure("OpenSSL's own verification failed") }
        return time * (1 / Double(rawCount))
    }

    /// The time for what no validation of a chain can do without.
    func rawValidation(of chain: [[UInt8]], count: Int) throws -> Elapsed {
        var isDone = false
        var time = Elapsed(seconds: 0, processorSeconds: 0)
        withCertificates(chain[...], []) { certificates in
            time = Elapsed.measure { isDone = raw_validate_chain(certificates, count) == 1 }
        }
        guard isDone else { throw Failure("OpenSSL's own chain verification failed") }
        return time * (1 / Double(count))
    }

    /// Lends certificates to C, each for as long as the body runs.
    private func withCertificates(
        _ rest: ArraySlice<[UInt8]>, _ lent: [raw_certificate], _ body: ([raw_certificate]) -> Void
    ) {
        guard let next = rest.first else { return body(lent) }
        next.withUnsafeBufferPointer { bytes in
            let certificate = raw_certificate(der: bytes.baseAddress, count: bytes.count)
            withCertificates(rest.dropFirst(), lent + [certificate], body)
        }
    }
}
