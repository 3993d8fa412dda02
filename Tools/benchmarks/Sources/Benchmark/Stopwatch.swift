import CMeasurement

/// Measures something between two measurements of OpenSSL's own rate, so that what disturbs one disturbs the others.
struct Stopwatch {
    struct Failure: Error {
        let what: String
    }

    /// A fifth of a second or so.
    private static let rawCount = 3000

    let rounds: Int

    /// The ratios of some work's rate to the rate of raw ES256 verification, one a round.
    ///
    /// - Parameter signatures: How many signatures the work verifies.
    func ratios(signatures: Int, _ work: () throws -> Void) throws -> [Double] {
        try (0..<rounds).map { _ in
            let before = try Self.rawSeconds()
            let seconds = try Self.seconds(work)
            let raw = (before + (try Self.rawSeconds())) / 2
            return raw * Double(signatures) / seconds
        }
    }

    /// Seconds for one raw verification.
    static func rawSeconds(threads: Int = 1) throws -> Double {
        let seconds = raw_es256_seconds(rawCount, threads)
        guard seconds > 0 else { throw Failure(what: "OpenSSL's own verification") }
        return seconds / Double(rawCount)
    }

    static func seconds(_ work: () throws -> Void) throws -> Double {
        let clock = ContinuousClock()
        let duration = try clock.measure { try work() }
        return Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }
}
