internal import ReceiptTypes

// Which device of a customer hands an unfinished consumable over. A store delivers it to all of them, and devices know
// nothing of each other's ledgers: recorded on two, it would count twice.
extension Transaction {
    /// The time, in milliseconds, for which an unfinished consumable is left to the device that began its sale: one
    /// hour.
    ///
    /// A device that runs hands a purchase over within seconds, or after a failure tries again every two minutes. An hour
    /// outlasts most failures of a server or a network, and a customer whose device is broken has the coins on another
    /// one the same day. The store's signatures measure it, because devices have different clocks. If the store has
    /// signed nothing since, a device waits ``ClockMarks/toleranceMilliseconds`` longer by its own clock.
    package static let otherDeviceMilliseconds: Int64 = 3_600_000

    /// The time from which any device may hand the purchase over, by the store's clock.
    var otherDeviceEnd: Timestamp { purchaseDate.adding(milliseconds: Self.otherDeviceMilliseconds) }

    /// Returns whether a delivery is left to the device that began the sale.
    ///
    /// - Parameters:
    ///   - isRecorded: Whether a version of the purchase is recorded here.
    ///   - memory: What this device remembers, also of an earlier run.
    ///   - now: The time of the device's clock.
    func isLeftToOtherDevice(
        from source: DeliverySource, isRecorded: Bool, _ memory: LedgerMemory, at now: Timestamp
    ) -> Bool {
        switch source {
        case .update, .unfinished, .history: break
        // An answer to this device, and what is no unfinished consumable.
        case .purchase, .entitlement, .appReceipt: return false
        }
        guard kind == .consumable, ownership == .purchased, !isRevoked, !isRecorded else { return false }
        let signed = max(signedDate, memory.clock.signed ?? signedDate)
        let end = otherDeviceEnd
        guard signed < end, now < end.adding(milliseconds: ClockMarks.toleranceMilliseconds) else { return false }
        return !memory.begun.contains(where: answers)
            && !memory.pending.contains { completes($0.notLater(than: now), from: source) }
    }

    /// Returns whether the transaction can be what a begun sale has sold.
    ///
    /// The device's clock can differ from the store's, so the store's latest signature says what was bought before.
    func answers(_ sale: BegunSale) -> Bool {
        let earliest = sale.latestSignature ?? sale.since.adding(milliseconds: -ClockMarks.toleranceMilliseconds)
        return includes(sale.productID)
            && (appAccountToken == nil || sale.account == nil || appAccountToken == sale.account)
            && purchaseDate >= earliest
            && purchaseDate < sale.since.adding(milliseconds: PendingPurchase.timeoutMilliseconds)
    }
}

extension LedgerMemory {
    /// Notes a sale before the store is asked, and forgets those that are too old to be answered.
    mutating func begin(_ productID: String, of account: UUIDText?, byClock now: Timestamp) {
        endSale(of: productID, account)
        let since = clock.time(byClock: now, isStoreReachable: true)
        begun.removeAll { $0.since.adding(milliseconds: PendingPurchase.timeoutMilliseconds) <= since }
        begun.append(
            BegunSale(productID: productID, since: since, latestSignature: clock.signed, account: account))
    }

    /// Forgets a begun sale of which nothing comes any more.
    mutating func endSale(of productID: String, _ account: UUIDText?) {
        begun.removeAll { $0.productID.isIdentical(to: productID) && $0.account == account }
    }

    /// Forgets the begun sale that a recorded transaction answers. A user has one sale at a time, so the store's answer
    /// ends it whatever was sold.
    mutating func removeBegun(answeredBy transaction: Transaction, from source: DeliverySource, of owner: UUIDText?) {
        func isOwners(_ sale: BegunSale) -> Bool { owner == nil || sale.account == nil || sale.account == owner }
        if source == .purchase {
            begun.removeAll(where: isOwners)
        } else if let index = begun.firstIndex(where: { isOwners($0) && transaction.answers($0) }) {
            begun.remove(at: index)
        }
    }
}
