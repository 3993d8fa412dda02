internal import CommandLineInterface
internal import Paywall
internal import PurchaseCore

/// The file of `--offers`, read again each time a paywall opens.
struct OffersFile: RemoteConfigSource {
    let path: String

    /// Reads the configuration that is in force first; a pipe can be read only once.
    func first() throws(UsageError) -> RemoteConfig {
        let bytes = try FileAccess.read(path, from: Flag.offers.spelling)
        do {
            return try RemoteConfig(json: bytes)
        } catch {
            throw UsageError(
                "\(Escaped(path)): \(Escaped(error.message))", hint: "correct the file, or leave out --offers")
        }
    }

    func remoteConfig() async throws -> [UInt8] { try FileAccess.read(path, from: Flag.offers.spelling) }
}
