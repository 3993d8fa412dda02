internal import CommandLineInterface
internal import Paywall
internal import PurchaseCore
internal import ReceiptTypes

/// The file of `--offers`, read again each time a paywall opens.
struct OffersFile: RemoteConfigSource {
    let path: String
    /// The flag of the file as it was given.
    let spelling: String

    /// Reads the configuration that is in force first; a pipe can be read only once.
    ///
    /// - Parameter products: The IDs of the products that a plan can have.
    /// - Returns: The configuration, and what has no effect in it, each with its place in the file.
    func first(products: [String]) throws(UsageError) -> (config: RemoteConfig, problems: [String]) {
        let bytes = try FileAccess.read(path, from: spelling)
        do {
            let (config, unknownMembers) = try RemoteConfig.reading(json: bytes)
            let problems = unknownMembers.map { "\($0): unknown member, which is ignored" }
            return (config, problems + Self.unknownPlans(of: config, products))
        } catch {
            throw UsageError(
                "\(Escaped(path)): \(Escaped(error.message))", hint: "correct the file, or leave out \(spelling)")
        }
    }

    private static func unknownPlans(of config: RemoteConfig, _ products: [String]) -> [String] {
        config.offers.enumerated().flatMap { offerIndex, offer in
            offer.plans.enumerated().filter { _, plan in !products.contains { $0.isIdentical(to: plan.id) } }
                .map { planIndex, plan in
                    let place = "offers[\(offerIndex)].plans[\(planIndex)].id"
                    return "\(place): there is no product \(plan.id), and the plan is not shown"
                }
        }
    }

    func remoteConfig() async throws -> [UInt8] { try FileAccess.read(path, from: spelling) }
}
