public import Observation

/// The customer's entitlements for SwiftUI, and for everything else that uses Observation.
///
/// ``EntitlementStore`` runs on every system that the package supports and offers a stream. This class follows such a
/// stream and needs iOS 17.
///
/// ```swift
/// let model = ObservableEntitlements(entitlementStore)
/// let following = Task { await model.follow() }  // in SwiftUI: .task { await model.follow() }
/// ```
@available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
@MainActor
@Observable
public final class ObservableEntitlements {
    /// The entitlements; empty until they are loaded.
    public private(set) var entitlements: Entitlements
    /// Whether the entitlements are loaded, and whether they are current.
    public private(set) var freshness: EntitlementFreshness

    @ObservationIgnored private let source: any EntitlementProviding

    /// Creates a model with the current entitlements. It does not change until ``follow()`` is called.
    public init(_ source: any EntitlementProviding) {
        self.source = source
        entitlements = source.entitlements
        freshness = source.freshness
    }

    /// Whether everything is unlocked.
    public var isPro: Bool { entitlements.isPro }

    /// Returns whether an entitlement is granted.
    public func grants(_ entitlement: Entitlement) -> Bool { entitlements.grants(entitlement) }

    /// Takes over every change, until the calling task is cancelled.
    public func follow() async {
        async let freshnessEnd: Void = followFreshness()
        for await entitlements in source.updates() {
            if self.entitlements != entitlements { self.entitlements = entitlements }
            if freshness != source.freshness { freshness = source.freshness }
        }
        await freshnessEnd
    }

    /// Takes over the changes of the freshness that come without a change of the entitlements.
    private func followFreshness() async {
        for await freshness in source.freshnessUpdates() where self.freshness != freshness {
            self.freshness = freshness
        }
    }
}
