internal import CommandLineInterface
internal import PurchaseCore
internal import PurchaseStorage
internal import ReceiptTypes

extension PurchaseRow {
    /// What a line of `list` says about the purchase.
    var cells: [String] {
        [
            purchase.id.transactionID, purchase.user?.rawValue ?? "-", purchase.productID,
            "\(purchase.purchasedAt)",
            [purchase.price.map { "\($0)" }, purchase.currency].compactMap { $0 }.joined(separator: " "),
            state.joined(separator: ", "),
        ]
    }

    private var state: [String] {
        var state = [purchase.isVerified ? "verified" : "unverified"]
        if purchase.isRevoked { state.append("revoked") }
        if purchase.quantity > 1 { state.append("\(purchase.remainingQuantity) of \(purchase.quantity)") }
        if case .synced = purchase.synchronization { state.append("synchronized") }
        if purchase.ownership != .purchased { state.append("family-shared") }
        if purchase.id.environment != .production, let environment = purchase.id.environment {
            state.append(environment.rawValue)
        }
        return state
    }

    var object: JSONObject {
        var verificationKey: String?
        var failure: String?
        switch purchase.verification {
        case .verified(let key): verificationKey = key
        case .unverified(let code): failure = code?.rawValue
        }
        return [
            "type": .string("purchase"), "transactionId": .string(purchase.id.transactionID),
            "store": .string(purchase.id.origin.rawValue),
            "environment": .optionalString(purchase.id.environment?.rawValue),
            "user": .optionalString(purchase.user?.rawValue), "productId": .string(purchase.productID),
            "productType": .string(purchase.type.rawValue), "purchaseDate": .string("\(purchase.purchasedAt)"),
            "quantity": .integer(Int64(purchase.quantity)),
            "remainingQuantity": .integer(Int64(purchase.remainingQuantity)),
            "price": .optionalString(purchase.price), "currency": .optionalString(purchase.currency),
            "ownership": .string(purchase.ownership.rawValue), "verified": .boolean(purchase.isVerified),
            "verificationKey": .optionalString(verificationKey), "code": .optionalString(failure),
            "revoked": .boolean(purchase.isRevoked), "revocationDate": .optionalString(purchase.revocationDate),
            "synchronized": .boolean(purchase.synchronization != .unsynced),
            "recordedAt": .string("\(recordedAt)"), "changedAt": .string("\(changedAt)"),
        ]
    }
}

extension DatabaseInspection.StoredReceipt {
    /// What the receipt is, as far as the database knows.
    var kind: String {
        if renewalInfoOf != nil { return "renewal-info" }
        switch content {
        case .play?: return "play-purchase"
        case .appReceipt?: return "app-receipt"
        case .jws?, nil: break
        }
        return "transaction"
    }

    /// Where the database has the receipt.
    var places: [String] {
        var places: [String] = []
        if purchase != nil { places.append("purchases") }
        if let entry { places.append("ledger: \(entry.stage)") }
        if renewalInfoOf != nil { places.append("renewal infos") }
        if let reason = entry?.quarantineReason { places.append("quarantine: \(reason)") }
        return places
    }
}
