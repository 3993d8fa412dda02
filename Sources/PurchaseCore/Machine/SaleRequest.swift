internal import ReceiptTypes

/// A question to the store to sell a product, with what was known when it was asked.
struct SaleRequest: Sendable {
    /// The number of the sale in this run; 0 until the store is asked.
    var number = 0
    /// The id of the transaction that has arrived another way, and is taken for this sale.
    var lateID: ExactString?
    let productID: String
    let options: PurchaseOptions
    /// The user that has begun the purchase.
    let user: AppUser
    /// The ``Transaction/versionID`` of each transaction that was recorded, by any service over the ledger.
    ///
    /// A store also answers with the transaction of an earlier sale, for example when a planned change of plan is
    /// cancelled.
    let recordedIDs: Set<ExactString>
    /// The id of the first transaction of each subscription that was recorded.
    let recordedOriginalIDs: Set<ExactString>
    /// The id of the first transaction of each subscription whose renewal was switched off when the store was asked.
    let unrenewedIDs: Set<ExactString>
    /// The latest signing date that was known; a purchase from before is certainly an earlier one. Nil if there was
    /// none.
    let latestSignature: Timestamp?
    /// The time at which the store was asked, by the device's clock, but not before the latest signature.
    let start: Timestamp
    /// The longest time in milliseconds for which the store's answer is awaited.
    let deadlineMilliseconds: Int64

    /// The longest time in milliseconds from a sale to its signature, by the store's clocks: an hour.
    static let signingMilliseconds: Int64 = 3_600_000

    /// Returns whether a transaction is of the product that is sold.
    private func sells(_ transaction: Transaction) -> Bool { transaction.includes(productID) }

    /// Returns whether a transaction was not recorded before the store was asked.
    func isSale(_ transaction: Transaction) -> Bool { !recordedIDs.contains(ExactString(transaction.versionID)) }

    /// Returns whether a transaction answers the question to the store as well as the store's own answer does.
    ///
    /// Another device of the customer can have bought the product meanwhile. A non-consumable or a subscription is then
    /// owned all the same; of a consumable, the customer gets one for each answer.
    func isAnswered(by transaction: Transaction, from source: DeliverySource) -> Bool {
        sells(transaction) && isSale(transaction) && transaction.kind != .consumable
            && isForAccount(transaction) && transaction.quantity == options.quantity
            && !transaction.isRevoked && isNew(transaction, from: source)
    }

    /// Returns whether a transaction has the account of the request; the App Store signs none that is not a UUID.
    private func isForAccount(_ transaction: Transaction) -> Bool {
        let account = options.appAccountToken
        return transaction.appAccountToken == account || transaction.appAccountToken == nil && account?.isUUID == false
    }

    /// Returns whether a transaction that the store delivers before its answer can be what it has sold.
    ///
    /// A store sends updates only for what has happened since; its lists also have purchases from before.
    func canHaveSold(_ transaction: Transaction, from source: DeliverySource) -> Bool {
        guard sells(transaction), transaction.isRenewal != true else { return false }
        return source == .update || isSale(transaction) && isNew(transaction, from: source)
    }

    /// Returns whether a transaction that the store delivers after the deadline can be what it has sold.
    ///
    /// A store may never answer, and so a purchase that was made long after the deadline is another one. The App Store
    /// signs every account that is a UUID. The device's clock can differ from the store's.
    func canHaveSoldLate(_ transaction: Transaction, from source: DeliverySource) -> Bool {
        guard lateID.map({ $0 == ExactString(transaction.id) }) ?? isSale(transaction),
            transaction.ownership == .purchased && isForAccount(transaction), canHaveSold(transaction, from: source)
        else { return false }
        let tolerance = ClockMarks.toleranceMilliseconds
        let latest = start.adding(milliseconds: deadlineMilliseconds).adding(milliseconds: tolerance)
        return transaction.purchaseDate <= latest
            && transaction.purchaseDate.adding(milliseconds: tolerance) >= min(start, transaction.signedDate)
    }

    /// Returns whether a transaction may have been bought by this customer since the store was asked.
    private func isNew(_ transaction: Transaction, from source: DeliverySource) -> Bool {
        transaction.ownership == .purchased && isSignedAsNew(transaction)
            && transaction.purchaseDate >= earliestDate(of: transaction, from: source)
    }

    /// Returns whether a transaction can be a sale of this request, as far as its own signature says.
    ///
    /// A store signs what an earlier installation has left unfinished when it delivers it. So its purchase date, or
    /// the end of its period, is before the signing date, both by the store's clocks. Google Play signs no date but
    /// that of the purchase.
    private func isSignedAsNew(_ transaction: Transaction) -> Bool {
        let latest = transaction.purchaseDate.adding(milliseconds: deadlineMilliseconds)
            .adding(milliseconds: Self.signingMilliseconds)
        if latest < transaction.signedDate { return false }
        switch transaction.standing(at: transaction.signedDate) {
        case .denied(.expired), .denied(.upgraded): return false
        default: return true
        }
    }

    /// Returns the earliest purchase date of a transaction that may have been sold since the store was asked.
    ///
    /// The device's clock can be ahead of the store's by any time. A new purchase waits to be finished, and so one that
    /// is signed as new counts unless the store has signed anything after it before; a list, a history and the renewals
    /// of a recorded subscription also have purchases from before. So does Google Play, except for those that are not
    /// acknowledged, which it refunds after three days.
    private func earliestDate(of transaction: Transaction, from source: DeliverySource) -> Timestamp {
        let isRenewal = recordedOriginalIDs.contains(ExactString(transaction.originalID))
        let isFinished = transaction.play?.isAcknowledged ?? false
        return source.awaitsFinish && !isRenewal && !isFinished ? latestSignature ?? .minimum : start
    }
}

extension SaleRequest {
    /// Creates a question beside what is recorded.
    ///
    /// - Parameters:
    ///   - recorded: The recorded deliveries of all users and products, each with its transaction if it is verified: a
    ///     transaction that is recorded for any of them is not a new sale.
    ///   - inReceipts: The purchases in the recorded app receipts.
    init(
        _ productID: String, _ options: PurchaseOptions, of user: AppUser,
        beside recorded: some Sequence<(SignedTransaction, Transaction?)>, _ inReceipts: [Transaction],
        _ renewalInfos: [RenewalInfo], _ clock: ClockMarks, at now: Timestamp, deadlineMilliseconds: Int64
    ) {
        var ids = Set(inReceipts.map { ExactString($0.versionID) })
        var originalIDs = Set(inReceipts.map { ExactString($0.originalID) })
        for (delivery, transaction) in recorded {
            ids.insert(ExactString(transaction?.versionID ?? delivery.unsignedVersionID))
            originalIDs.insert(ExactString(transaction?.originalID ?? delivery.transactionID))
        }
        self.init(
            productID: productID, options: options, user: user, recordedIDs: ids, recordedOriginalIDs: originalIDs,
            unrenewedIDs: renewalInfos.unrenewedIDs, latestSignature: clock.signed,
            start: clock.time(byClock: now, isStoreReachable: true), deadlineMilliseconds: deadlineMilliseconds)
    }
}

extension [RenewalInfo] {
    /// The ids of the subscriptions whose latest renewal info says that they do not renew.
    fileprivate var unrenewedIDs: Set<ExactString> {
        var latest: [ExactString: RenewalInfo] = [:]
        for info in self {
            let id = ExactString(info.originalTransactionID)
            if latest[id].map(info.isLater) ?? true { latest[id] = info }
        }
        return Set(latest.filter { !$0.value.willRenew }.keys)
    }
}

extension SignedTransaction {
    /// The ``Transaction/versionID`` of a transaction that is not verified, unless it is of a test store.
    fileprivate var unsignedVersionID: String {
        if case .play = content { "google-play \(transactionID)" } else { "app-store \(transactionID)" }
    }
}

extension PurchaseOptions {
    /// Returns the options with the user's account if they name none.
    func completed(for user: AppUser) -> PurchaseOptions {
        var options = self
        options.appAccountToken = appAccountToken?.lowercased ?? user.account
        return options
    }
}
