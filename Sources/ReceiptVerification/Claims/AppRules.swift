internal import ReceiptTypes

/// The rules for the receipts of one app, or for those that name no app of the policy.
///
/// It is a class because threads share it: a copy of its values would count the references to each of them.
final class AppRules: Sendable {
    /// The app; nil for receipts that name none.
    let app: VerificationPolicy.App?
    let environments: Set<StoreEnvironment>
    let productIDs: Set<String>
    let isStrict: Bool
    /// The claims for which the policy names a value.
    let required: UncheckedClaims

    fileprivate init(_ app: VerificationPolicy.App?, _ policy: VerificationPolicy, appClaims: UncheckedClaims) {
        self.app = app
        environments = app?.environments ?? policy.environments
        productIDs = app?.productIDs ?? policy.productIDs
        isStrict = app?.isStrict ?? policy.isStrict
        var required = appClaims
        if !environments.isEmpty { required.insert(.environment) }
        if !productIDs.isEmpty { required.insert(.productID) }
        if policy.refusesRevokedPurchases { required.insert(.revocationDate) }
        if policy.device != nil { required.insert(.device) }
        self.required = required
    }

    /// Returns whether a product is accepted, in time that does not depend on the number of products.
    func accepts(product id: String) -> Bool {
        // Swift strings are equal if they are canonically equivalent; product IDs are compared byte by byte.
        productIDs.firstIndex(of: id).map { productIDs[$0].isIdentical(to: id) } ?? false
    }
}

/// The apps of a policy, which a receipt's claims find without a search and without an allocation.
struct AcceptedApps: Sendable {
    private let rules: [AppRules]
    private let appStore: [String: [Int]]
    private let googlePlay: [String: [Int]]
    private let byAppleID: [Int64: Int]
    /// The rules for receipts that name no app of the policy.
    private let others: AppRules

    init(_ policy: VerificationPolicy) {
        var appClaims: UncheckedClaims = policy.apps.isEmpty ? [] : .bundleID
        if policy.apps.contains(where: { $0.appAppleID != nil }) { appClaims.insert(.appAppleID) }
        rules = policy.apps.map { AppRules($0, policy, appClaims: appClaims) }
        others = AppRules(nil, policy, appClaims: appClaims)
        var (appStore, googlePlay): ([String: [Int]], [String: [Int]]) = ([:], [:])
        var byAppleID: [Int64: Int] = [:]
        for (place, app) in policy.apps.enumerated() {
            if app.platform != .android {
                appStore[app.bundleID, default: []].append(place)
                if let number = app.appAppleID, byAppleID[number] == nil { byAppleID[number] = place }
            }
            if app.platform != .ios { googlePlay[app.bundleID, default: []].append(place) }
        }
        (self.appStore, self.googlePlay, self.byAppleID) = (appStore, googlePlay, byAppleID)
    }

    /// Whether the policy accepts every app.
    var isEmpty: Bool { rules.isEmpty }

    /// Whether an app is in the App Store; otherwise no receipt from there is accepted, also if it names no app.
    var haveAppStore: Bool { !appStore.isEmpty }

    /// Whether an app of the App Store has an Apple ID.
    var haveAppleIDs: Bool { !byAppleID.isEmpty }

    /// Returns the rules of the app at a place; for nil, those for receipts that name no app of the policy.
    subscript(place: Int?) -> AppRules { place.map { rules[$0] } ?? others }

    /// Returns the places of the apps that a receipt names by its bundle ID.
    func places(of claims: ReceiptClaims, _ kind: ReceiptKind) -> [Int] {
        guard claims.hasBundleID, let id = claims.bundleID,
            let found = (kind == .playPurchase ? googlePlay : appStore)[id]
        else { return [] }
        // Swift strings are equal if they are canonically equivalent; bundle IDs are compared byte by byte.
        for place in found where !isNamed(id, place) { return found.filter { isNamed(id, $0) } }
        return found
    }

    private func isNamed(_ id: String, _ place: Int) -> Bool {
        rules[place].app?.bundleID.isIdentical(to: id) ?? false
    }

    /// Returns the place of the app with an Apple ID.
    func place(ofAppleID number: Int64) -> Int? { byAppleID[number] }

    /// Returns the place of the app whose rules a receipt has to meet; nil if it names no app of the policy.
    func place(for claims: ReceiptClaims, named places: [Int]) -> Int? {
        guard claims.hasBundleID else {
            return claims.hasAppAppleID ? claims.appAppleID.flatMap { byAppleID[$0] } : nil
        }
        guard places.count > 1, let number = claims.appAppleID else { return places.first }
        // An app without an Apple ID accepts any; the rules of one with another Apple ID are not for this receipt.
        return places.first { rules[$0].app?.appAppleID == number }
            ?? places.first { rules[$0].app?.appAppleID == nil } ?? places.first
    }
}
