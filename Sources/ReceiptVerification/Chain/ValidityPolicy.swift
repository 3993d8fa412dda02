internal import ReceiptTypes

/// When a receipt was signed, and whether its certificates were valid then.
struct ValidityPolicy: Sendable {
    /// What a payload says of its signing time.
    enum SigningTime {
        case at(Timestamp)
        case absent
        /// No number of milliseconds that an X.509 time could express; the text says what there was.
        case invalid(String)
    }

    let validity: VerificationPolicy.Validity
    let clock: @Sendable () -> Timestamp

    /// The instant at which certificates have to be valid; nil when the signing time is refused.
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
                .signedInTheFuture, "signing-time", timestamp <= latest,
                expected: "at most one day after the clock, which says \(now)", actual: timestamp.description
            )
        case .absent:
            signed = nil
            examination.skip(.effectiveDate, "signing-time", "the payload does not say when it was signed")
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

    /// States that each certificate of a chain is valid at an instant, both ends of its dates included.
    func requireValidity(
        of chain: ValidatedChain,
        at instant: Timestamp,
        _ examination: inout Examination
    ) throws(CryptoFault) {
        for (index, dates) in chain.validities.enumerated() {
            try examination.require(
                .certificateNotYetValid, "not-before", certificate: index, instant >= dates.notBefore,
                expected: "valid at \(instant)", actual: "valid from \(dates.notBefore)"
            )
            try examination.require(
                .certificateExpired, "not-after", certificate: index, instant.flooredToSecond <= dates.notAfter,
                expected: "valid at \(instant)", actual: "valid until \(dates.notAfter)"
            )
        }
    }
}
