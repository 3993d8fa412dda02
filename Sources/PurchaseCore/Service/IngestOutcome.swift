internal import ReceiptTypes

/// What has become of one delivery.
enum IngestOutcome: Sendable {
    /// It counts; `isNew` tells whether it did not before.
    case recorded(Transaction, isNew: Bool)
    /// It is not verified.
    case refused(VerificationFailure)
    /// It is genuine and contradicts what is recorded.
    case conflict(Transaction, RecordConflict)
    /// It could not be written down; the store will deliver it again.
    case notRecorded(JournalError)
}
