internal import CommandLineInterface
internal import LocalStore
internal import PurchaseCore
internal import ReceiptTypes

/// `advance`: moves the store's clock forward; renewals and expirations happen when they are due.
struct AdvanceCommand {
    let session: Session

    func run() throws {
        let text = try session.arguments.requiredOperand(
            "a time or a duration", hint: "give a time such as 2025-06-01T12:00:00Z, a duration such as P1M, or next"
        )
        let target = try Target(text)
        let opened = try OpenedStore(session, for: .changing(.dueEvents { target.instant(after: $0) }))
        let instant = try instant(target, in: opened.store.engine)
        let notifications = try opened.perform { engine in
            try engine.advance(to: instant)
        }.notifications
        let report = StoreReport(session: session)
        try report.write(notifications)
        if session.writesJSON {
            let object: JSONObject = ["type": .string("clock"), "now": .string("\(instant)")]
            try session.writeLine(object, as: .clock)
        } else {
            try session.output.writeLine("the time is now \(instant)")
        }
        session.messages.warnIfClockIsAhead(instant)
    }

    private func instant(_ target: Target, in engine: SimulatorEngine) throws -> Timestamp {
        let now = engine.state.now
        guard let instant = target.instant(after: now) ?? engine.nextEventDate else {
            throw StoreSimulatorError(.invalidAction, "nothing is due: no subscription is running")
        }
        guard instant >= now else {
            throw UsageError(
                "the store's clock is already at \(now)",
                hint: "the clock only moves forward; create a new store with init"
            )
        }
        return instant
    }

    /// What the operand names.
    private enum Target {
        case time(Timestamp)
        case duration(ISO8601Duration)
        case nextEvent

        init(_ text: String) throws(UsageError) {
            if text == "next" {
                self = .nextEvent
            } else if let time = Timestamp(rfc3339: text) {
                self = .time(time)
            } else if let duration = ISO8601Duration(text) {
                self = .duration(duration)
            } else {
                throw UsageError(
                    "\(Escaped(text).quoted) is neither a time nor a duration",
                    hint: "give a time such as 2025-06-01T12:00:00Z, a duration such as P1M, P3DT12H or PT90S, or next"
                )
            }
        }

        /// Returns the instant for the time on the store's clock; nil for the next event.
        func instant(after now: Timestamp) -> Timestamp? {
            switch self {
            case .time(let time): time
            case .duration(let duration): duration.after(now)
            case .nextEvent: nil
            }
        }
    }
}
