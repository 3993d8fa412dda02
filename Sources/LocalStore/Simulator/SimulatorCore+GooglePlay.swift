internal import PurchaseCore
internal import ReceiptTestAuthority
internal import ReceiptTypes
internal import ReceiptVerification

// Signing and delivery of Google Play purchases.
extension SimulatorCore {
    /// Signs purchase data without faults.
    func sign(_ purchase: PlayPurchase) throws(StoreSimulatorError) -> SignedPlayPurchase {
        try Self.sign(purchase, with: try signer.playKey())
    }

    private static func sign(
        _ purchase: PlayPurchase, with key: TestPlayKey
    ) throws(StoreSimulatorError) -> SignedPlayPurchase {
        let data = purchase.members.description
        do throws(CryptoFault) {
            return SignedPlayPurchase(data: data, signature: try key.sign(data))
        } catch {
            throw StoreSimulatorError(.notSigned, error.message, underlying: error)
        }
    }

    /// Signs purchase data for a customer's device, with the plan's faults.
    mutating func signForDelivery(_ purchase: PlayPurchase) throws(StoreSimulatorError) -> SignedTransaction {
        let signed: SignedPlayPurchase
        switch try signingFault() {
        case .signUnderUnknownRoot: signed = try Self.sign(purchase, with: try unknownPlayKey())
        case .flipBit: signed = Self.flippingBit(of: try sign(purchase))
        default: signed = try sign(purchase)
        }
        return SignedTransaction(
            play: signed, purchaseToken: purchase.purchaseToken ?? "", productID: purchase.productId ?? "",
            objection: engine.state.settings.simulatedErrors[.verification]
        )
    }

    private mutating func unknownPlayKey() throws(StoreSimulatorError) -> TestPlayKey {
        if let untrustedPlayKey { return untrustedPlayKey }
        do throws(CryptoFault) {
            let key = try TestPlayKey()
            untrustedPlayKey = key
            return key
        } catch {
            throw StoreSimulatorError(.notSigned, error.message, underlying: error)
        }
    }

    /// Returns the purchase with one bit of its signature inverted.
    private static func flippingBit(of purchase: SignedPlayPurchase) -> SignedPlayPurchase {
        guard var signature = Base64.standard.decode(purchase.signature), !signature.isEmpty else { return purchase }
        signature[signature.count / 2] ^= 1
        return SignedPlayPurchase(data: purchase.data, signature: Base64.standard.encode(signature))
    }

    // MARK: Delivery

    /// Delivers the completed purchases of a step to the customers' other devices.
    ///
    /// Google Play does not tell a device about renewals and refunds: they change what it lists.
    mutating func deliverPlayPurchases(_ events: [StoreEvent], by customer: Int?) throws(StoreSimulatorError) {
        guard streams.values.contains(where: \.isPlay) else { return }
        var delivered: Set<Int64> = []
        for case .transaction(let event) in events {
            // The event was sent before the order was stored in the transaction.
            guard event.reason == .purchase, !event.isFamilyShared, delivered.insert(event.number).inserted,
                let transaction = engine.state.transaction(event.id), !transaction.isRevoked, !transaction.isUpgraded,
                hasListener(transaction.account, excluding: customer, isPlay: true)
            else { continue }
            let signed = try signForDelivery(engine.playPurchase(of: transaction))
            try deliver(
                OutgoingUpdate(
                    account: transaction.account, update: .transaction(signed), version: nil, excluded: customer,
                    isPlay: true))
        }
    }

    /// Opens a stream of updates; at a launch it begins with the pending and the unacknowledged purchases.
    mutating func listenToPlay(
        _ account: String, customer: Int, isLaunch: Bool, _ outlet: UpdateOutlet
    ) {
        open(
            CustomerStream(
                account: account, customer: customer, isPlay: true, awaitsLaunch: isLaunch, outlet: outlet))
    }

    /// Returns the data of the purchases that are pending or not acknowledged.
    func unfinishedPlayPurchases(of account: String) -> [PlayPurchase] {
        engine.pendingPlayOrders(of: account).map { engine.playPurchase(of: $0) }
            + engine.listedPlaySales(of: account).filter { !$0.isAcknowledged }.map { engine.playPurchase(of: $0) }
    }
}
