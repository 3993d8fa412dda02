internal import ReceiptTypes

/// The rules for dates: the signing time of a receipt, and the validity of its certificates.
struct ValidityPolicy: Sendable {
    /// The signing time in a payload.
    enum SigningTime {
        case at(Timestamp)
        case absent
        /// Not a number of milliseconds that an X.509 time can express; the text describes the value.
        case invalid(String)
    }

    private let validity: VerificationPolicy.Validity
    private let leavesFutureToCaller: Bool
    let clock: @Sendable () -> Timestamp

    init(policy: VerificationPolicy, clock: @escaping @Sendable () -> Timestamp) {
        validity = policy.validity
        leavesFutureToCaller = policy.leavesFutureSignaturesToCaller
        self.clock = clock
    }

    /// Returns the instant at which the certificates must be valid; nil if the signing time cannot be read.
    func effectiveDate(
        signedAt time: SigningTime,
        _ examination: inout Examination
    ) throws(CryptoFault) -> Timestamp? {
        let now = clock()
        let signed: Timestamp?
        switch time {
        case .at(let timestamp):
            signed = timestamp
            let latest = now.adding(milliseconds: Budget.clockTolerance)
            try examination.require(
                .signedInTheFuture, "signing-time", timestamp <= latest || leavesFutureToCaller,
                expected: "at most one day after the current time, \(now)", actual: timestamp.description
            )
        case .absent:
            signed = nil
            examination.skip(.effectiveDate, "signing-time", "the payload has no signing time")
        case .invalid(let found):
            examination.refuse(
                .signingTimeInvalid, "signing-time",
                expected: "milliseconds since 1970, at most \(Budget.signingTimes.upperBound)", actual: found
            )
            return nil
        }
        switch validity {
        case .signing: return signed ?? now
        case .now: return now
        case .at(let instant): return instant
        }
    }

    /// Requires each certificate of a chain to be valid at an instant, including both of its dates.
    ///
    /// - Parameter time: The signing time in the payload; where there is none, a certificate that has expired since
    ///   gets a hint of its own.
    func requireValidity(
        of chain: ValidatedChain,
        under root: ValidatedChain.Root,
        at instant: Timestamp,
        signedAt time: SigningTime,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        for (index, dates) in (chain.validities + [root.validity]).enumerated() {
            try examination.require(
                .certificateNotYetValid, "not-before", certificate: index, instant >= dates.notBefore,
                expected: "valid at \(instant)", actual: "valid from \(dates.notBefore)"
            )
            try examination.require(
                .certificateExpired, "not-after", certificate: index, instant.flooredToSecond <= dates.notAfter,
                expected: "valid at \(instant)", actual: "valid until \(dates.notAfter)",
                hint: hint(for: time, chain.interval(under: root))
            )
        }
    }

    /// Returns what to try with an expired certificate if the payload does not say when it was signed; nil otherwise.
    private func hint(for time: SigningTime, _ interval: ClosedRange<Timestamp>?) -> String? {
        guard case .absent = time, validity == .signing, let interval else { return nil }
        return "the receipt has no signing time, so its certificates were checked at the current time; verify it at "
            + "the time when it arrived, which is between \(interval.lowerBound) and \(interval.upperBound) if it is "
            + "genuine"
    }
}
