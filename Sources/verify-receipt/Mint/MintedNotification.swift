internal import ReceiptTypes

/// Makes notifications, each with what the App Store sends for its type.
struct MintedNotification {
    /// Makes the receipts inside the notification.
    let payloads: MintedPayloads
    let uuid: UUIDText

    private var request: MintRequest { payloads.request }
    private var now: Timestamp { payloads.request.now }

    /// Returns a notification of the requested type.
    func payload() throws -> ResponseBodyV2DecodedPayload {
        let type = request.notificationType
        var notification = ResponseBodyV2DecodedPayload()
        notification.notificationType = type
        notification.subtype = request.subtype ?? Self.usualSubtype(of: type)
        notification.notificationUUID = uuid.rawValue
        switch type {
        case .externalPurchaseToken: notification.externalPurchaseToken = token(notification.subtype)
        case .renewalExtension where notification.subtype == .summary: notification.summary = summary
        case .rescindConsent: notification.appData = try appData()
        default: notification.data = try data(for: type, notification.subtype)
        }
        notification.version = "2.0"
        notification.signedDate = now
        return notification
    }

    /// Returns the subtype that a type usually has; nil for a type without one.
    private static func usualSubtype(of type: NotificationType) -> NotificationSubtype? {
        switch type {
        case .subscribed: .initialBuy
        case .expired: .voluntary
        case .didChangeRenewalStatus: .autoRenewDisabled
        case .didChangeRenewalPref: .downgrade
        case .priceIncrease: .pending
        case .renewalExtension: .summary
        case .externalPurchaseToken: .unreported
        default: nil
        }
    }

    // MARK: Data

    private func data(for type: NotificationType, _ subtype: NotificationSubtype?) throws -> NotificationData {
        var data = NotificationData()
        data.appAppleId = request.appAppleID
        data.bundleId = request.bundleID
        if type != .test { data.bundleVersion = "42" }
        data.environment = request.environment
        guard type != .test else { return data }
        var transaction = payloads.transaction(request.type)
        var renewalInfo = payloads.renewalInfo
        var status = SubscriptionStatus.active
        change(&transaction, &renewalInfo, &status, for: type, subtype)
        data.signedTransactionInfo = try payloads.sign(transaction, as: .transaction)
        if request.type == .autoRenewableSubscription {
            data.signedRenewalInfo = try payloads.sign(renewalInfo, as: .renewalInfo)
            data.status = status
        }
        if type == .consumptionRequest { data.consumptionRequestReason = .unintendedPurchase }
        return data
    }

    /// Changes a renewed subscription to one to which the event has happened.
    private func change(
        _ transaction: inout JWSTransactionDecodedPayload,
        _ renewalInfo: inout JWSRenewalInfoDecodedPayload,
        _ status: inout SubscriptionStatus,
        for type: NotificationType,
        _ subtype: NotificationSubtype?
    ) {
        switch type {
        case .subscribed:
            transaction.transactionReason = .purchase
            transaction.originalPurchaseDate = now
            renewalInfo.recentSubscriptionStartDate = now
        case .didChangeRenewalStatus where subtype == .autoRenewDisabled: renewalInfo.autoRenewStatus = .off
        case .expired:
            end(&transaction)
            renewalInfo.autoRenewStatus = .off
            renewalInfo.expirationIntent = subtype == .billingRetry ? .billingError : .customerCancelled
            status = .expired
        case .didFailToRenew, .gracePeriodExpired:
            end(&transaction)
            renewalInfo.isInBillingRetryPeriod = true
            let isInGracePeriod = subtype == .gracePeriod
            if isInGracePeriod {
                renewalInfo.gracePeriodExpiresDate = payloads.later(by: 16 * Timestamp.millisecondsPerDay)
            }
            status = isInGracePeriod ? .gracePeriod : .billingRetry
        case .refund, .revoke:
            transaction.revocationDate = now
            transaction.revocationReason = type == .refund ? .issue : .other
            if type == .revoke { transaction.inAppOwnershipType = .familyShared }
            renewalInfo.autoRenewStatus = .off
            status = .revoked
        default: break
        }
    }

    /// Moves the period of a subscription, so that it ends now.
    private func end(_ transaction: inout JWSTransactionDecodedPayload) {
        guard transaction.expiresDate != nil else { return }
        transaction.purchaseDate = payloads.later(by: -MintedPayloads.month)
        transaction.expiresDate = now
    }

    // MARK: Other contents

    /// Returns a token; one of a custom link for the subtypes that only such tokens have.
    private func token(_ subtype: NotificationSubtype?) -> ExternalPurchaseToken {
        var token = ExternalPurchaseToken()
        token.externalPurchaseId = (request.environment == .sandbox ? "SANDBOX_" : "") + uuid.rawValue
        token.tokenCreationDate = now.millisecondsSince1970
        token.appAppleId = request.appAppleID
        token.bundleId = request.bundleID
        if subtype == .created || subtype == .activeTokenReminder {
            token.tokenType = .services
            token.tokenExpirationDate = payloads.later(by: 12 * MintedPayloads.month)
        }
        return token
    }

    private var summary: NotificationSummary {
        var summary = NotificationSummary()
        summary.environment = request.environment
        summary.appAppleId = request.appAppleID
        summary.bundleId = request.bundleID
        summary.productId = request.productID
        summary.requestIdentifier = uuid.rawValue
        summary.storefrontCountryCodes = ["USA"]
        summary.succeededCount = 5
        summary.failedCount = 0
        return summary
    }

    private func appData() throws -> AppData {
        var data = AppData()
        data.appAppleId = request.appAppleID
        data.bundleId = request.bundleID
        data.environment = request.environment
        data.signedAppTransactionInfo = try payloads.sign(payloads.appTransaction, as: .appTransaction)
        return data
    }
}
