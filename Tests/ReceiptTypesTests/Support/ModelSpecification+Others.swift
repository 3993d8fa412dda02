import ReceiptTypes

extension ModelSpecification {
    static let advancedCommerce = [
        ModelSpecification(
            AdvancedCommerceTransactionInfo.self,
            """
            descriptors AdvancedCommerceDescriptors
            estimatedTax int64
            items [AdvancedCommerceTransactionItem]
            period string
            requestReferenceId string
            taxCode string
            taxExclusivePrice int64
            taxRate string
            """
        ),
        ModelSpecification(
            AdvancedCommerceTransactionItem.self,
            """
            SKU string
            description string
            displayName string
            offer AdvancedCommerceOffer
            price int64
            refunds [AdvancedCommerceRefund]
            revocationDate date
            """
        ),
        ModelSpecification(
            AdvancedCommerceRenewalInfo.self,
            """
            consistencyToken string
            descriptors AdvancedCommerceDescriptors
            items [AdvancedCommerceRenewalItem]
            period string
            requestReferenceId string
            taxCode string
            """
        ),
        ModelSpecification(
            AdvancedCommerceRenewalItem.self,
            """
            SKU string
            description string
            displayName string
            offer AdvancedCommerceOffer
            price int64
            priceIncreaseInfo AdvancedCommercePriceIncreaseInfo
            """
        ),
        ModelSpecification(
            AdvancedCommercePriceIncreaseInfo.self,
            """
            dependentSKUs [string]
            price int64
            status string
            """
        ),
        ModelSpecification(
            AdvancedCommerceDescriptors.self,
            """
            description string
            displayName string
            """
        ),
        ModelSpecification(
            AdvancedCommerceOffer.self,
            """
            period string
            periodCount int32
            price int64
            reason string
            """
        ),
        ModelSpecification(
            AdvancedCommerceRefund.self,
            """
            refundAmount int64
            refundDate date
            refundReason string
            refundType string
            """
        ),
    ]

    static let googlePlay = [
        ModelSpecification(
            PlayPurchase.self,
            """
            orderId string
            packageName string
            productId string
            productIds [string]
            purchaseTime date
            purchaseState int32
            token string
            purchaseToken string
            quantity int32
            acknowledged bool
            autoRenewing bool
            developerPayload string
            obfuscatedAccountId string
            obfuscatedProfileId string
            pendingPurchaseUpdate PlayPendingPurchaseUpdate
            """
        ),
        ModelSpecification(
            PlayPendingPurchaseUpdate.self,
            """
            purchaseToken string
            productIds [string]
            """
        ),
    ]
}
