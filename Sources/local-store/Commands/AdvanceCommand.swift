internal import CommandLineInterface
internal import LocalStore
internal import ReceiptTypes
internal import ReceiptVerification

/// `advance`: time passes.
struct AdvanceCommand {
    /// As far as a signing time may lie ahead of a verifier's clock.
    private static let verifierTolerance: Int64 = 86_400_000

    let session: Session

    func run() throws {
        let text = try Operands.one(
            session, named: "a time or a duration", hint: "write 2025-06-01T12:00:00Z, or P1M for a month"
        )
        let opened = try OpenStore(session, toChange: true)
        let target = try Self.target(text, from: opened.state.now)
        let notifications = try opened.change { engine in
            try engine.advance(to: target)
        }.notifications
        let report = StoreReport(session: session)
        try report.write(notifications)
        if session.writesJSON {
            let object: JSONObject = ["type": .string("clock"), "now": .string("\(target)")]
            try session.output.writeLine(object.description)
        } else {
            try session.output.writeLine("it is \(target)")
        }
        Self.warn(target, session.messages)
    }

    private static func target(_ text: String, from now: Timestamp) throws(UsageError) -> Timestamp {
        let target: Timestamp
        if let time = Timestamp(rfc3339: text) {
            target = time
        } else if let span = TimeSpan(iso8601: text) {
            target = span.after(now)
        } else {
            throw UsageError(
                "\(Escaped(text).quoted) is neither a time nor a duration",
                hint: "a time is written as 2025-06-01T12:00:00Z, a duration as P1M, P3DT12H or PT90S"
            )
        }
        guard target >= now else {
            throw UsageError(
                "it is \(now) in the store already", hint: "time only goes forward; init makes a new store")
        }
        return target
    }

    /// Says so where a verifier would not believe the store's clock.
    static func warn(_ time: Timestamp, _ messages: Messages) {
        guard time > SystemClock.now().adding(milliseconds: verifierTolerance) else { return }
        messages.warn(
            "the store's clock is ahead of this machine's, and a verifier refuses what is signed in its future",
            hint: "begin earlier: local-store init --start TIME"
        )
    }
}
