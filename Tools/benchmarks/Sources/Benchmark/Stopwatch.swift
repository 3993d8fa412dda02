import CMeasurement

/// Measures work between two measurements of OpenSSL's own speed, so that other load on the machine affects all three.
struct Stopwatch {
    /// The number of measurements of each case.
    let rounds: Int
    /// The number of verifications in one measurement of OpenSSL.
    private let rawCount: Int

    /// Creates OpenSSL's keys and signatures, so that no measurement includes it.
    init(rounds: Int, threads: Int, rawCount: Int) throws {
        self.rounds = rounds
        self.rawCount = rawCount
        guard raw_verify(raw_es256, 1, threads) == 1, raw_verify(raw_rsa_sha1, 1, 1) == 1,
            raw_verify(raw_rsa_sha256, 1, 1) == 1
        else {
            throw Failure("OpenSSL could not create the keys for raw verification")
        }
    }

    /// Returns the rate of some work relative to the rate of raw verification, once per round.
    ///
    /// - Parameters:
    ///   - signatures: The number of signatures that the work verifies.
    ///   - kind: The raw verification to compare with.
    ///   - work: Does the work and returns its time.
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

    /// Returns the time of one raw verification on each of several threads.
    func raw(_ kind: raw_kind = raw_es256, threads: Int = 1) throws -> Elapsed {
        var isDone = false
        let time = Elapsed.measure { isDone = raw_verify(kind, rawCount, threads) == 1 }
        guard isDone else { throw Failure("OpenSSL's own verification failed") }
        return time * (1 / Double(rawCount))
    }

    /// Returns the time to decode three certificates and verify two signatures, the minimum for validating a chain.
    func rawValidation(of chain: [[UInt8]], count: Int) throws -> Elapsed {
        var isDone = false
        var time = Elapsed(seconds: 0, processorSeconds: 0)
        withCertificates(chain[...], []) { certificates in
            time = Elapsed.measure { isDone = raw_validate_chain(certificates, count) == 1 }
        }
        guard isDone else { throw Failure("OpenSSL's own chain verification failed") }
        return time * (1 / Double(count))
    }

    /// Returns the time to decode an app receipt with d2i_PKCS7 and verify it with PKCS7_verify.
    func rawContainer(_ receipt: [UInt8], root: [UInt8], count: Int) throws -> Elapsed {
        try measure(count) {
            var isDone = false
            withCertificates([root], []) { certificates in
                isDone =
                    raw_verify_container(receipt, receipt.count, certificates, AppReceiptMaterial.createdAt, count) == 1
            }
            return isDone
        }
    }

    /// Returns the time to hash the content of an app receipt and verify its signature.
    func rawSignature(_ receipt: [UInt8], count: Int) throws -> Elapsed {
        try measure(count) { raw_verify_content(receipt, receipt.count, count) == 1 }
    }

    private func measure(_ count: Int, _ work: () -> Bool) throws -> Elapsed {
        var isDone = false
        let time = Elapsed.measure { isDone = work() }
        guard isDone else { throw Failure("OpenSSL's own verification of an app receipt failed") }
        return time * (1 / Double(count))
    }

    /// Calls the body with pointers to the certificates, which are valid until it returns.
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
