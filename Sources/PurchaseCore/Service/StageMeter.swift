internal import ReceiptTypes

/// Measures calls, and passes their times to a log.
struct StageMeter: Sendable {
    let environment: PurchaseEnvironment

    /// Returns the result of a call after its time was logged.
    ///
    /// - Parameter failure: The code of the failure that a returned value reports; nil for a success.
    func measure<Value, Failure: Error>(
        _ stage: PurchaseStage, failure: (Value) -> String? = { _ in nil },
        _ call: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let start = environment.timer.uptimeMilliseconds()
        do throws(Failure) {
            let value = try await call()
            end(stage, start, failure(value))
            return value
        } catch {
            end(stage, start, Self.code(of: error))
            throw error
        }
    }

    private func end(_ stage: PurchaseStage, _ start: Int64, _ failureCode: String?) {
        let (milliseconds, overflow) = environment.timer.uptimeMilliseconds().subtractingReportingOverflow(start)
        environment.log.log(StageTiming(stage, milliseconds: overflow ? 0 : milliseconds, failureCode: failureCode))
    }

    /// Returns the code of an error; nil if the customer or the caller has cancelled.
    static func code(of error: any Error) -> String? {
        if error is CancellationError || (error as? StoreError)?.code == .userCancelled { return nil }
        return (error as? any CodedError).map { "\($0.code)" } ?? "other"
    }
}

extension PurchaseResult {
    /// The code of the reason that the customer does not have what was sold; nil if nothing is wrong.
    var failureCode: String? {
        switch self {
        case .success, .alreadyOwned, .pending, .userCancelled: nil
        case .failed(let error): StageMeter.code(of: error)
        case .deferred(let reason):
            switch reason {
            case .unverified, .notRecorded, .notHandedOver, .noAnswer: reason.name
            case .awaitingApproval, .awaitingSignIn, .changesAtRenewal, .offerAtRenewal, .renewsAgain: nil
            }
        }
    }
}
