// A stub of StoreKit, to compile the adapters on systems without Apple's SDK.
//
// It declares the part of StoreKit 2 that Sources/PurchaseCore/StoreKit uses, with the names, types and availability that
// Apple documents for iOS 15, or for the later system that an annotation names. It has no behaviour, and no product contains or links it.

import Foundation
import UIKit

public enum VerificationResult<SignedType> {
    public enum VerificationError: Error {
        case revokedCertificate
        case invalidCertificateChain
        case invalidDeviceVerification
        case invalidEncoding
        case invalidSignature
        case missingRequiredProperties
    }

    case unverified(SignedType, VerificationError)
    case verified(SignedType)

    public var unsafePayloadValue: SignedType {
        switch self {
        case .unverified(let value, _), .verified(let value): value
        }
    }
}

extension VerificationResult: Sendable where SignedType: Sendable {}

extension VerificationResult where SignedType == Transaction {
    public var jwsRepresentation: String { "" }
}

extension VerificationResult where SignedType == Product.SubscriptionInfo.RenewalInfo {
    public var jwsRepresentation: String { "" }
}

public struct Transaction: Sendable {
    public struct Transactions: AsyncSequence, Sendable {
        public typealias Element = VerificationResult<Transaction>

        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> VerificationResult<Transaction>? { nil }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    public static var all: Transactions { Transactions() }
    public static var currentEntitlements: Transactions { Transactions() }
    public static var unfinished: Transactions { Transactions() }
    public static var updates: Transactions { Transactions() }

    public let id: UInt64
    public let productID: String
    public let subscriptionGroupID: String?
    public func finish() async {}

    public enum RefundRequestStatus: Sendable {
        case success
        case userCancelled
    }

    @MainActor
    public static func beginRefundRequest(
        for transactionID: UInt64, in scene: UIWindowScene
    ) async throws -> RefundRequestStatus { .userCancelled }
}

public struct Product: Sendable {
    public struct ProductType: RawRepresentable, Equatable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        case pending
    }

    public enum PurchaseError: Error {
        case invalidQuantity
        case productUnavailable
        case purchaseNotAllowed
        case ineligibleForOffer
        case invalidOfferIdentifier
        case invalidOfferPrice
        case invalidOfferSignature
        case missingOfferParameters
    }

    public struct PurchaseOption: Hashable, Sendable {
        public static func appAccountToken(_ token: UUID) -> PurchaseOption { PurchaseOption() }
        public static func quantity(_ quantity: Int) -> PurchaseOption { PurchaseOption() }
        public static func promotionalOffer(
            offerID: String, keyID: String, nonce: UUID, signature: Data, timestamp: Int
        ) -> PurchaseOption { PurchaseOption() }
        @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, *)
        public static func winBackOffer(_ offer: SubscriptionOffer) -> PurchaseOption { PurchaseOption() }
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, *)
        public static func billingPlanType(_ type: SubscriptionInfo.BillingPlanType) -> PurchaseOption {
            PurchaseOption()
        }
    }

    public struct SubscriptionPeriod: Hashable, Sendable {
        public enum Unit: Hashable, Sendable {
            case day
            case week
            case month
            case year
        }

        public let unit: Unit
        public let value: Int
    }

    public struct SubscriptionOffer: Sendable {
        public struct PaymentMode: RawRepresentable, Equatable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static let freeTrial = PaymentMode(rawValue: "FreeTrial")
            public static let payAsYouGo = PaymentMode(rawValue: "PayAsYouGo")
            public static let payUpFront = PaymentMode(rawValue: "PayUpFront")
        }

        public let id: String?
        public let price: Decimal
        public let period: SubscriptionPeriod
        public let periodCount: Int
        public let paymentMode: PaymentMode
    }

    public struct SubscriptionInfo: Sendable {
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool { false }

        public struct RenewalInfo: Sendable {}

        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, *)
        public struct BillingPlanType: RawRepresentable, Equatable, Hashable, Sendable {
            public let rawValue: String
            public init(rawValue: String) { self.rawValue = rawValue }
            public static let monthly = BillingPlanType(rawValue: "monthly")
            public static let upFront = BillingPlanType(rawValue: "upFront")
        }

        public struct Status: Sendable {
            public struct Statuses: AsyncSequence, Sendable {
                public typealias Element = Status

                public struct AsyncIterator: AsyncIteratorProtocol {
                    public mutating func next() async -> Status? { nil }
                }

                public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
            }

            public static var updates: Statuses { Statuses() }
            public let transaction: VerificationResult<Transaction>
            public let renewalInfo: VerificationResult<RenewalInfo>
        }

        public static func status(for groupID: String) async throws -> [Status] { [] }

        public let subscriptionGroupID: String
        public let subscriptionPeriod: SubscriptionPeriod
        public let introductoryOffer: SubscriptionOffer?
        public let promotionalOffers: [SubscriptionOffer]
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, *)
        public var groupLevel: Int { 1 }
        @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, *)
        public var winBackOffers: [SubscriptionOffer] { [] }
    }

    /// Stands for Foundation's `Decimal.FormatStyle.Currency`.
    public struct PriceFormatStyle: Sendable {
        public let currencyCode: String
    }

    public static func products(for identifiers: some Collection<String>) async throws -> [Product] { [] }

    public let id: String
    public let type: ProductType
    public let displayName: String
    public let description: String
    public let price: Decimal
    public let displayPrice: String
    public let isFamilyShareable: Bool
    public let subscription: SubscriptionInfo?
    public let priceFormatStyle: PriceFormatStyle

    @MainActor
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult { .userCancelled }
}

public enum StoreKitError: Error {
    case unknown
    case userCancelled
    case networkError(URLError)
    case systemError(any Error)
    case notAvailableInStorefront
    case notEntitled
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
public struct AppTransaction: Sendable {
    public static var shared: VerificationResult<AppTransaction> { get async throws { throw CancellationError() } }
}

@available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, *)
extension VerificationResult where SignedType == AppTransaction {
    public var jwsRepresentation: String { "" }
}

public enum AppStore {
    public static func sync() async throws {}
    @MainActor
    public static func showManageSubscriptions(in scene: UIWindowScene) async throws {}
    @available(iOS 17.0, macCatalyst 17.0, *)
    @MainActor
    public static func showManageSubscriptions(in scene: UIWindowScene, subscriptionGroupID: String) async throws {}
    @available(iOS 16.0, *)
    @MainActor
    public static func presentOfferCodeRedeemSheet(in scene: UIWindowScene) async throws {}
}

@available(iOS 16.4, macOS 14.4, *)
public struct PurchaseIntent: Sendable {
    public struct PurchaseIntents: AsyncSequence, Sendable {
        public typealias Element = PurchaseIntent

        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async -> PurchaseIntent? { nil }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }
    }

    public static var intents: PurchaseIntents { PurchaseIntents() }
    public let product: Product
    @available(iOS 18.0, macOS 15.0, *)
    public var offer: Product.SubscriptionOffer? { nil }
}
