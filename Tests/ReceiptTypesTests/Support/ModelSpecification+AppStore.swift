import ReceiptTypes

extension ModelSpecification {
    /// All payload models.
    static let all = appStore + advancedCommerce + googlePlay

    static let appStore = [
        ModelSpecification(
            JWSTransactionDecodedPayload.self,
            """
            originalTransactionId string
            previousOriginalTransactionId id
            transactionId string
            webOrderLineItemId string
            bundleId string
            productId string
            subscriptionGroupIdentifier string
            purchaseDate date
            originalPurchaseDate date
            expiresDate date
            quantity int32
            type string
            appAccountToken string
            inAppOwnershipType string
            signedDate date
            revocationReason int32
            revocationDate date
            isUpgraded bool
            offerType int32
            offerIdentifier string
            environment string
            storefront string
            storefrontId string
            transactionReason string
            currency string
            price int64
            offerDiscountType string
            appTransactionId string
            offerPeriod string
            revocationType string
            revocationPercentage int32
            advancedCommerceInfo AdvancedCommerceTransactionInfo
            billingPlanType string
            commitmentInfo TransactionCommitmentInfo
            deviceVerification string
            deviceVerificationNonce string
            """
        ),
        ModelSpecification(
            JWSRenewalInfoDecodedPayload.self,
            """
            expirationIntent int32
            originalTransactionId string
            autoRenewProductId string
            productId string
            autoRenewStatus int32
            isInBillingRetryPeriod bool
            priceIncreaseStatus int32
            gracePeriodExpiresDate date
            offerType int32
            offerIdentifier string
            signedDate date
            environment string
            recentSubscriptionStartDate date
            renewalDate date
            currency string
            renewalPrice int64
            offerDiscountType string
            eligibleWinBackOfferIds [string]
            appAccountToken string
            appTransactionId string
            offerPeriod string
            advancedCommerceInfo AdvancedCommerceRenewalInfo
            commitmentInfo RenewalCommitmentInfo
            renewalBillingPlanType string
            """
        ),
        ModelSpecification(
            JWSAppTransactionDecodedPayload.self,
            """
            receiptType string
            appAppleId int64
            bundleId string
            applicationVersion string
            versionExternalIdentifier int64
            receiptCreationDate date
            originalPurchaseDate date
            originalApplicationVersion string
            deviceVerification string
            deviceVerificationNonce string
            preorderDate date
            appTransactionId string
            originalPlatform string
            """
        ),
        ModelSpecification(ResponseBodyV2.self, "signedPayload string"),
        ModelSpecification(RealtimeRequestBody.self, "signedPayload string"),
        ModelSpecification(
            ResponseBodyV2DecodedPayload.self,
            """
            notificationType string
            subtype string
            notificationUUID string
            data NotificationData
            version string
            signedDate date
            summary NotificationSummary
            externalPurchaseToken ExternalPurchaseToken
            appData AppData
            """
        ),
        ModelSpecification(
            NotificationData.self,
            """
            environment string
            appAppleId int64
            bundleId string
            bundleVersion string
            signedTransactionInfo string
            signedRenewalInfo string
            status int32
            consumptionRequestReason string
            """
        ),
        ModelSpecification(
            NotificationSummary.self,
            """
            environment string
            appAppleId int64
            bundleId string
            productId string
            requestIdentifier string
            storefrontCountryCodes [string]
            succeededCount int64
            failedCount int64
            """
        ),
        ModelSpecification(
            ExternalPurchaseToken.self,
            """
            externalPurchaseId string
            tokenCreationDate int64
            tokenType string
            tokenExpirationDate date
            appAppleId int64
            bundleId string
            """
        ),
        ModelSpecification(
            AppData.self,
            """
            appAppleId int64
            bundleId string
            environment string
            signedAppTransactionInfo string
            """
        ),
        ModelSpecification(
            DecodedRealtimeRequestBody.self,
            """
            originalTransactionId string
            appAppleId int64
            productId string
            userLocale string
            requestIdentifier string
            signedDate date
            environment string
            """
        ),
        ModelSpecification(
            TransactionCommitmentInfo.self,
            """
            billingPeriodNumber int32
            commitmentExpiresDate date
            commitmentPrice int64
            totalBillingPeriods int32
            """
        ),
        ModelSpecification(
            RenewalCommitmentInfo.self,
            """
            commitmentAutoRenewProductId string
            commitmentAutoRenewStatus int32
            commitmentRenewalBillingPlanType string
            commitmentRenewalDate date
            commitmentRenewalPrice int64
            """
        ),
    ]
}
