internal import ReceiptTypes

/// The record of one verification: the first requirement that failed and, if traced, every check.
///
/// Requirements are checked in the order in which failures are reported, the most specific first. Without a trace,
/// nothing is evaluated after the first failure, and no text is created for checks that pass.
struct Examination {
    /// The first failure; nil if every check so far has passed.
    private(set) var failure: VerificationFailure?
    private(set) var trace = VerificationTrace()
    let isTracing: Bool

    init(isTracing: Bool) {
        self.isTracing = isTracing
    }

    /// Whether every check so far has passed.
    var isPassing: Bool { failure == nil }

    /// Whether further checks are made: always for a trace, otherwise until the first failure.
    var continues: Bool { isPassing || isTracing }

    /// Checks a requirement.
    ///
    /// - Parameters:
    ///   - code: The code of the failure, evaluated only if the requirement is not met.
    ///   - check: The name of the check in the trace.
    ///   - certificate: The index in `x5c` of the certificate that the check concerns.
    ///   - hint: What to do about the failure, if there is more to say than the code's hint.
    /// - Returns: Whether the requirement is met. After a failure without a trace, returns false without checking.
    @discardableResult
    mutating func require(
        _ code: @autoclosure () -> VerificationFailure.Code,
        _ check: StaticString,
        certificate: Int? = nil,
        _ condition: @autoclosure () throws(CryptoFault) -> Bool,
        expected: @autoclosure () -> String,
        actual: @autoclosure () -> String,
        hint: @autoclosure () -> String? = nil
    ) throws(CryptoFault) -> Bool {
        guard continues else { return false }
        let isMet = try condition()
        if isMet && !isTracing { return true }
        record(isMet, code(), check, certificate, expected(), actual(), isMet ? nil : hint())
        return isMet
    }

    /// Records a failure.
    mutating func refuse(
        _ code: VerificationFailure.Code,
        _ check: StaticString,
        certificate: Int? = nil,
        expected: String,
        actual: String,
        hint: String? = nil,
        identifiers: [FoundIdentifier] = []
    ) {
        guard continues else { return }
        record(false, code, check, certificate, expected, actual, hint, identifiers)
    }

    /// Adds a passed check with a note to the trace.
    ///
    /// It does not affect the verdict.
    mutating func note(_ step: VerificationStep, _ check: StaticString, _ text: @autoclosure () -> String) {
        guard isTracing else { return }
        trace.append(.init(step: step, check: check.description, outcome: .passed, note: text()))
    }

    /// Adds a check that was not made to the trace, with the reason.
    mutating func skip(_ step: VerificationStep, _ check: StaticString, _ why: @autoclosure () -> String) {
        guard isTracing else { return }
        trace.append(.init(step: step, check: check.description, outcome: .skipped, note: why()))
    }

    /// Adopts a failure that was found elsewhere, unless there is one already.
    mutating func adopt(_ other: VerificationFailure) {
        if failure == nil { failure = other }
    }

    /// Adds a remark to what the failure says about the receipt.
    mutating func addRemark(_ remark: String) {
        guard let found = failure else { return }
        failure = VerificationFailure(
            code: found.code, expected: found.expected,
            actual: found.actual.map { "\($0); \(remark)" } ?? remark, certificateIndex: found.certificateIndex,
            hint: found.hint, identifiers: found.identifiers, untrustedPayload: found.untrustedPayload
        )
    }

    private mutating func record(
        _ isMet: Bool,
        _ code: VerificationFailure.Code,
        _ check: StaticString,
        _ certificate: Int?,
        _ expected: String,
        _ actual: String,
        _ hint: String? = nil,
        _ identifiers: [FoundIdentifier] = []
    ) {
        if isTracing {
            trace.append(
                .init(
                    step: code.step,
                    check: check.description,
                    outcome: isMet ? .passed : .failed,
                    expected: expected,
                    actual: actual,
                    certificateIndex: certificate,
                    code: isMet ? nil : code
                )
            )
        }
        if !isMet, failure == nil {
            failure = VerificationFailure(
                code: code,
                expected: expected,
                actual: actual,
                certificateIndex: certificate,
                hint: hint,
                identifiers: identifiers
            )
        }
    }
}

extension Examination {
    /// Records that a failure of the system prevents a decision.
    mutating func refuse(_ fault: CryptoFault) {
        guard fault.code != .hashForbidden else {
            return refuse(
                .hashForbidden, "system-policy", expected: "a system that verifies signatures with SHA-1",
                actual: fault.message)
        }
        refuse(.internalError, "resources", expected: "memory and a working OpenSSL", actual: fault.message)
    }
}
