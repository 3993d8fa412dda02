#if canImport(StoreKit)
    internal import ReceiptTypes
    internal import StoreKit
    #if canImport(UIKit) && !os(tvOS) && !os(watchOS)
        internal import UIKit
    #endif

    // Sheets need a window scene, so they exist on iOS and visionOS only.
    @available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, *)
    extension StoreKitStore {
        #if canImport(UIKit) && !os(tvOS) && !os(watchOS)
            /// Shows a sheet of the App Store in the scene that is in the foreground.
            ///
            /// - Throws: ``StoreError``; with the code ``StoreErrorCode/unsupported`` before iOS 16 for offer codes.
            public func present(_ sheet: StoreSheet) async throws(StoreError) -> StoreSheetAnswer {
                do {
                    return try await Self.presentInScene(sheet)
                } catch {
                    throw StoreError(storeKit: error)
                }
            }

            @MainActor
            private static func presentInScene(_ sheet: StoreSheet) async throws -> StoreSheetAnswer {
                let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
                guard let scene = scenes.first(where: { $0.activationState == .foregroundActive }) ?? scenes.first
                else {
                    throw StoreError(.system, "the app has no window scene to show a sheet in")
                }
                switch sheet {
                case .redeemCode:
                    guard #available(iOS 16.0, *) else {
                        throw StoreError(.unsupported, "the sheet for offer codes needs iOS 16")
                    }
                    try await AppStore.presentOfferCodeRedeemSheet(in: scene)
                    return .completed
                case .manageSubscriptions(let groupID):
                    if #available(iOS 17.0, *), let groupID {
                        try await AppStore.showManageSubscriptions(in: scene, subscriptionGroupID: groupID)
                    } else {
                        try await AppStore.showManageSubscriptions(in: scene)
                    }
                    return .completed
                case .requestRefund(let transactionID):
                    guard let id = UInt64(transactionID) else {
                        throw StoreError(.unknown, "\(transactionID) is not a transaction id of the App Store")
                    }
                    switch try await StoreKit.Transaction.beginRefundRequest(for: id, in: scene) {
                    case .success: return .completed
                    case .userCancelled: return .cancelled
                    @unknown default: return .completed
                    }
                }
            }
        #endif

        #if !os(tvOS) && !os(watchOS)
            /// Returns a stream of promoted purchases; it ends at once before iOS 16.4 and macOS 14.4.
            public func purchaseIntents() -> AsyncStream<PurchaseIntent> {
                guard #available(iOS 16.4, macOS 14.4, *) else { return AsyncStream { $0.finish() } }
                let (stream, continuation) = AsyncStream.makeStream(of: PurchaseIntent.self)
                let forwarding = Task {
                    for await intent in StoreKit.PurchaseIntent.intents {
                        var offerID: String?
                        if #available(iOS 18.0, macOS 15.0, *) { offerID = intent.offer?.id }
                        continuation.yield(PurchaseIntent(productID: intent.product.id, offerID: offerID))
                    }
                    continuation.finish()
                }
                continuation.onTermination = { _ in forwarding.cancel() }
                return stream
            }
        #endif
    }
#endif
