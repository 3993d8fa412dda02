public import ReceiptTypes

/// A recorded purchase that the store neither lists as a current entitlement nor has in its history.
///
/// A store lists nothing while the customer is signed out, after a fault, and for another customer. So an absence alone
/// ends nothing: until it is confirmed, the purchase unlocks what it did before.
public struct AbsentPurchase: Sendable, Hashable {
    /// The id of the purchase's latest transaction.
    public let transactionID: String
    /// The time of the store's first answer without the purchase.
    public let since: Timestamp
    /// Whether a later answer or a restore has confirmed the absence, so that the purchase unlocks nothing.
    ///
    /// It unlocks again when the store lists it again.
    public let isConfirmed: Bool
    /// The device's uptime at the latest answer that ``provedMilliseconds`` counts; nil if it was not read.
    public let uptime: DeviceUptime?
    /// The milliseconds between answers without the purchase that the device's clock need not show: the uptime in steps
    /// of at least an hour, and an hour for each restart.
    public let provedMilliseconds: Int64

    /// The time in milliseconds between the first answer and one that confirms it: one day.
    public static let confirmationDelayMilliseconds: Int64 = 86_400_000

    /// Creates an absence.
    public init(
        transactionID: String, since: Timestamp, isConfirmed: Bool = false, uptime: DeviceUptime? = nil,
        provedMilliseconds: Int64 = 0
    ) {
        self.transactionID = transactionID
        self.since = since
        self.isConfirmed = isConfirmed
        self.uptime = uptime
        self.provedMilliseconds = provedMilliseconds
    }

    /// The time from which on another answer without the purchase confirms the absence.
    public var confirmableFrom: Timestamp { since.adding(milliseconds: Self.confirmationDelayMilliseconds) }

    /// Returns whether the absence is about a version of a purchase: a signature after the first answer is newer
    /// evidence.
    func concerns(_ transaction: Transaction) -> Bool {
        transactionID.isIdentical(to: transaction.id) && transaction.signedDate <= since
    }

    /// Returns whether an absence says the same to the customer.
    func agrees(with other: AbsentPurchase) -> Bool {
        transactionID.isIdentical(to: other.transactionID) && since == other.since && isConfirmed == other.isConfirmed
    }

    /// Returns the absence after one more answer without the purchase.
    func answered(at now: Timestamp, uptime: DeviceUptime, isRestore: Bool) -> AbsentPurchase {
        let passed = self.uptime.map { uptime.milliseconds(since: $0) ?? ClockMarks.stepMilliseconds } ?? 0
        // Less than an hour is counted with a later answer, so that most answers change nothing.
        let isStep = self.uptime == nil || passed >= ClockMarks.stepMilliseconds
        let (sum, overflow) = provedMilliseconds.addingReportingOverflow(isStep ? passed : 0)
        let proved = overflow ? .max : sum
        let isConfirmed =
            isConfirmed || isRestore || now >= confirmableFrom || proved >= Self.confirmationDelayMilliseconds
        return AbsentPurchase(
            transactionID: transactionID,
            // An absence from the future was recorded while the clock was ahead; its day by the clock begins again.
            since: isConfirmed ? since : min(since, now), isConfirmed: isConfirmed,
            uptime: isStep ? uptime : self.uptime, provedMilliseconds: proved)
    }
}

extension [AbsentPurchase] {
    /// Returns whether the absence of a purchase is confirmed; nil if the purchase is not absent.
    func isConfirmed(_ transaction: Transaction) -> Bool? { first { $0.concerns(transaction) }?.isConfirmed }

    /// Returns the absences after an answer of the store.
    ///
    /// - Parameters:
    ///   - absent: The purchases in force that the answer lacks.
    ///   - compared: The latest version of each purchase that the answer was compared with; absences of others stay.
    ///   - now: The time of the answer.
    ///   - uptime: The device's uptime at the answer.
    ///   - isRestore: Whether the customer has restored purchases, which confirms an absence at once.
    ///   - isListed: Returns whether the answer has a purchase.
    func updated(
        byAnswerWithout absent: [Transaction], of compared: [Transaction], at now: Timestamp, _ uptime: DeviceUptime,
        isRestore: Bool, isListed: (Transaction) -> Bool
    ) -> [AbsentPurchase] {
        let known = Dictionary(map { (ExactString($0.transactionID), $0) }, uniquingKeysWith: { first, _ in first })
        let purchases = Dictionary(compared.map { (ExactString($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        let absentIDs = Set(absent.map { ExactString($0.id) })
        let others = filter { absence in
            let id = ExactString(absence.transactionID)
            guard !absentIDs.contains(id) else { return false }
            guard let purchase = purchases[id] else { return true }
            // A purchase that has ended in the meantime is not expected in the answer, so it stays absent.
            return absence.isConfirmed && absence.concerns(purchase) && !isListed(purchase)
        }
        return others
            + absent.map { transaction in
                guard let absence = known[ExactString(transaction.id)], absence.concerns(transaction) else {
                    return AbsentPurchase(
                        transactionID: transaction.id, since: now, isConfirmed: isRestore, uptime: uptime)
                }
                return absence.answered(at: now, uptime: uptime, isRestore: isRestore)
            }
    }
}
