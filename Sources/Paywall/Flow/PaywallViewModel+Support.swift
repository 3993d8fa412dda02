internal import PurchaseCore

extension PaywallViewModel {
    /// Returns the log for support, with the facts of the last failure and of the paywall.
    ///
    /// Call it for ``PaywallMessage/Action/contactSupport``. The facts are the products and the codes of what has
    /// failed or was rejected, the offer or the feature, and the revision of the configuration.
    ///
    /// - Returns: nil if the services have no export.
    /// - Throws: Any error of the export.
    public func supportLog() async throws -> [UInt8]? {
        guard let exportLog = services.exportLog else { return nil }
        var facts = failures.supportFacts
        facts["offer"] = offerID?.rawValue
        facts["feature"] = featureID?.rawValue
        facts["revision"] = coordinator.map { "\($0.remoteConfig.snapshot.revision)" }
        return try await exportLog(facts)
    }
}
