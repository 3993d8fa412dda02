internal import ReceiptTypes

/// The environments of which the root of a certificate chain may verify receipts.
struct EnvironmentTrust: Sendable {
    /// What a root's word is worth for a receipt of one environment.
    enum Standing: Int, Comparable {
        case trusted
        /// The caller has not said that the root may verify receipts of Production, and Apple's root can.
        case unconfirmed
        case untrusted

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// Any environment.
    static let unlimited = EnvironmentTrust(limit: nil, isProductionUnconfirmed: false, isLocalTesting: false)

    /// The environments of one self-signed certificate.
    ///
    /// A developer holds the key of a local certificate, so it cannot sign for a store's environment.
    private static let local: Set<StoreEnvironment> = [.xcode, .localTesting]
    private static let tests: Set<StoreEnvironment> = [.sandbox, .xcode, .localTesting]

    /// The environments in the root's limit; nil for all.
    let limit: Set<StoreEnvironment>?
    let isProductionUnconfirmed: Bool
    /// Whether the chain is the single certificate of a local testing environment.
    let isLocalTesting: Bool

    /// Whether the trust is the same for each environment, so that a receipt's environment does not matter.
    var isUnlimited: Bool { limit == nil && !isProductionUnconfirmed && !isLocalTesting }

    /// Returns whether a receipt of the environment may come from a developer's machine.
    func isLocal(_ environment: String?) -> Bool { Self.local.includes(named: environment) }

    /// Returns the standing for an environment; nil is a receipt that names none.
    ///
    /// An environment that is absent or unknown counts as Production: only the names of test environments make a
    /// receipt a test.
    func standing(for environment: String?) -> Standing {
        if isLocalTesting, !isLocal(environment) { return .untrusted }
        if let limit, !limit.includes(named: environment) { return .untrusted }
        return isProductionUnconfirmed && !Self.tests.includes(named: environment) ? .unconfirmed : .trusted
    }
}

extension Set<StoreEnvironment> {
    fileprivate func includes(named name: String?) -> Bool {
        name.map { contains(StoreEnvironment(rawValue: $0)) } ?? false
    }
}
