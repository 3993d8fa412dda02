/// The port to a log.
public protocol PurchaseLog: Sendable {
    /// Logs an event. It must not block.
    func log(_ event: PurchaseLogEvent)

    /// Receives the time of each call of a stage, such as a verification. It must not block.
    func log(_ timing: StageTiming)
}

extension PurchaseLog {
    /// Does nothing, so that a log of events needs no more than the other method.
    public func log(_ timing: StageTiming) {}
}

/// A log that discards every event.
public struct SilentLog: PurchaseLog {
    /// Creates the log.
    public init() {}

    /// Discards the event.
    public func log(_ event: PurchaseLogEvent) {}
}

/// A log that prints every event to standard output, for trying things out.
public struct ConsoleLog: PurchaseLog {
    /// Creates the log.
    public init() {}

    /// Prints the event in one line.
    public func log(_ event: PurchaseLogEvent) {
        let subject = [event.productID, event.transactionID.map { "transaction \($0)" }].compactMap { $0 }
        print("\(event.kind): \((subject + [event.detail]).joined(separator: ", "))")
    }
}
