internal import ReceiptTypes

/// The notebook of one verification: the first requirement that is not met, and every step where somebody wants to know.
///
/// Requirements are stated in the order of the rules, most telling first, so the first one that fails is the reason that
/// is reported. Without a trace nothing is evaluated after it and no text is made for what passes.
struct Examination {
    /// The reason for refusing; nil while everything holds.
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

    /// States a requirement.
    ///
    /// - Parameters:
    ///   - check: The requirement's name in the trace.
    ///   - certificate: The index in `x5c` that it is about.
    /// - Returns: Whether it is met; false without looking when an earlier one failed and nobody traces.
    @discardableResult
    mutating func require(
        _ code: VerificationFailure.Code,
        _ check: StaticString,
        certificate: Int? = nil,
        _ condition: @autoclosure () throws(CryptoFault) -> Bool,
        expected: @autoclosure () -> String,
        actual: @autoclosure () -> String
    ) throws(CryptoFault) -> Bool {
        guard continues else { return false }
        let isMet = try condition()
        if isMet && !isTracing { return true }
        record(isMet, code, check, certificate, expected(), actual())
        return isMet
    }

    /// Refuses outright.
    mutating func refuse(
        _ code: VerificationFailure.Code,
        _ check: StaticString,
        certificate: Int? = nil,
        expected: String,
        actual: String,
        hint: String? = nil
    ) {
        guard continues else { return }
        record(false, code, check, certificate, expected, actual, hint)
    }

    /// Notes something that was seen and decides nothing.
    mutating func note(_ step: VerificationStep, _ check: StaticString, _ text: @autoclosure () -> String) {
        guard isTracing else { return }
        trace.append(.init(step: step, check: check.description, outcome: .passed, note: text()))
    }

    /// Notes that a step was not taken, and why.
    mutating func skip(_ step: VerificationStep, _ check: StaticString, _ why: @autoclosure () -> String) {
        guard isTracing else { return }
        trace.append(.init(step: step, check: check.description, outcome: .skipped, note: why()))
    }

    /// Takes over a reason that was found elsewhere.
    mutating func adopt(_ other: VerificationFailure) {
        if failure == nil { failure = other }
    }

    private mutating func record(
        _ isMet: Bool,
        _ code: VerificationFailure.Code,
        _ check: StaticString,
        _ certificate: Int?,
        _ expected: String,
        _ actual: String,
        _ hint: String? = nil
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
                hint: hint
            )
        }
    }
}

extension Examination {
    /// Records that a failure of the system prevents a decision.
    mutating func refuse(_ fault: CryptoFault) {
        refuse(.internalError, "resources", expected: "memory and a working OpenSSL", actual: fault.message)
    }
}
