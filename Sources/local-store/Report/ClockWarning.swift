internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

extension Messages {
    /// Warns if verifiers reject receipts that the store signs at `time`, because the time is in their future.
    func warnIfClockIsAhead(_ time: Timestamp) {
        guard time > SystemClock.now().adding(milliseconds: Budget.clockTolerance) else { return }
        warn(
            "the store's clock is ahead of this machine's: verifiers reject receipts that are signed in the future",
            hint: "start earlier with local-store init --start TIME"
        )
    }
}
