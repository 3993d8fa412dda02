internal import ReceiptTypes

// What a list of Google Play and the answer to a purchase say about subscriptions.
extension LedgerMemory {
    /// Remembers that the store lists a Play subscription now.
    mutating func recordListing(of transaction: Transaction, at now: Timestamp) {
        let known = playListings[of: transaction.id]
        // A change is planned until it takes effect, which a list shows by another product.
        let isPlanned = known?.plannedProductID(after: transaction.productID, at: now) != nil
        let listing = PlayListing(transaction, at: now, plannedChange: isPlanned ? known?.plannedChange : nil)
        if known.map({ listing.saysNothingNew(after: $0, of: transaction) }) ?? false { return }
        playListings.replace(with: listing)
    }

    /// Remembers the subscription with which the store has answered a purchase.
    ///
    /// - Parameters:
    ///   - productID: The product that it changes to with its next renewal; nil if no change is planned.
    ///   - replaced: The subscriptions that it replaces: the store sells a customer one of a group.
    mutating func recordSale(
        of transaction: Transaction, changingTo productID: String?, replacing replaced: [Transaction], at now: Timestamp
    ) {
        let change = productID.map {
            // The present period began before now, so it ends before another one would that begins now.
            PlayListing.PlannedChange(
                productID: $0, latestDate: now.adding(transaction.play?.period ?? .year, times: 1))
        }
        playListings.replace(with: PlayListing(transaction, at: now, plannedChange: change))
        markReplaced(replaced)
    }

    /// Remembers the subscriptions that the store has replaced.
    mutating func markReplaced(_ transactions: [Transaction]) {
        for transaction in transactions {
            var listing =
                playListings[of: transaction.id]
                ?? PlayListing(transaction, at: transaction.purchaseDate, plannedChange: nil)
            listing.isReplaced = true
            playListings.replace(with: listing)
        }
    }
}
