internal import CommandLineInterface
internal import Paywall
internal import PurchaseCore

/// The file of `--offers`, read again each time a paywall opens.
struct OffersFile: RemoteConfigSource {
    let path: String

    /// Checks that the file can be read and is a configuration.
    func check() throws(UsageError) {
        let bytes = try FileAccess.read(path, from: Flag.offers.spelling)
        do {
            _ = try RemoteConfig(json: bytes)
        } catch {
            throw UsageError(
                "\(Escaped(path)): \(Escaped(error.message))", hint: "correct the file, or leave out --offers")
        }
    }

    func remoteConfig() async throws -> [UInt8] { try FileAccess.read(path, from: Flag.offers.spelling) }
}
