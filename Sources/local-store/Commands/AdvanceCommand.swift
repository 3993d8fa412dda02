internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes

/// `advance`: moves the store's clock forward; renewals and expirations happen when they are due.
struct AdvanceCommand {
    let session: Session

    func run() throws {
        let text = try session.arguments.requiredOperand(
            "a time or a duration", hint: "give a time such as 2025-06-01T12:00:00Z, a duration such as P1M, or next"
        )
        let opened = try OpenedStore(session, forWriting: true)
        let target = try Self.target(text, in: opened.store.engine)
        let notifications = try opened.perform { engine in
            try engine.advance(to: target)
        }.notifications
        let report = StoreReport(session: session)
        try report.write(notifications)
        if session.writesJSON {
            let object: JSONObject = ["type": .string("clock"), "now": .string("\(target)")]
            try session.writeLine(object, as: .clock)
        } else {
            try session.output.writeLine("the time is now \(target)")
        }
        session.messages.warnIfClockIsAhead(target)
    }

    private static func target(_ text: String, in engine: SimulatorEngine) throws -> Timestamp {
        let now = engine.state.now
        let target: Timestamp
        if text == "next" {
            guard let next = engine.nextEventDate else {
                throw StoreSimulatorError(.invalidAction, "nothing is due: no subscription is running")
            }
            target = next
        } else if let time = Timestamp(rfc3339: text) {
            target = time
        } else if let duration = ISO8601Duration(text) {
            target = duration.after(now)
        } else {
            throw UsageError(
                "\(Escaped(text).quoted) is neither a time nor a duration",
                hint: "give a time such as 2025-06-01T12:00:00Z, a duration such as P1M, P3DT12H or PT90S, or next"
            )
        }
        guard target >= now else {
            throw UsageError(
                "the store's clock is already at \(now)",
                hint: "the clock only moves forward; create a new store with init"
            )
        }
        return target
    }
}
