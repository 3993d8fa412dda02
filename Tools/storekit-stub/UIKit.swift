// A stub of the part of UIKit that the sheets of StoreKit take: the app's window scenes. It has no behaviour.

@MainActor
open class UIScene: Hashable {
    public enum ActivationState: Int, Sendable {
        case unattached
        case foregroundActive
        case foregroundInactive
        case background
    }

    public var activationState: ActivationState { .unattached }

    nonisolated public static func == (left: UIScene, right: UIScene) -> Bool { left === right }
    nonisolated public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

@MainActor
public final class UIWindowScene: UIScene {}

@MainActor
open class UIApplication {
    public static let shared = UIApplication()
    public var connectedScenes: Set<UIScene> { [] }
}
