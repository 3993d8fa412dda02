import CMeasurement
import ReceiptTestAuthority
import ReceiptVerification

/// Batches of Google Play purchases.
struct PlayCases {
    let stopwatch: Stopwatch
    /// The number of purchases.
    let count: Int

    /// Measures purchases that are signed with one key.
    func oneKey() throws -> [Figure] {
        let key = try TestPlayKey()
        let run = BatchRun(lines: try Material.playPurchases(count, by: key), count: count)
        var keyring = PlayKeyring()
        keyring.add([UInt8](key.publicKey.utf8), forPackage: Payloads.application)
        let verifier = ReceiptVerifier(playKeys: keyring)
        let ratios = try stopwatch.ratios(signatures: count, to: raw_rsa_sha1) { try run.measure(by: verifier) }
        return [
            Figure("play", "\(count) Google Play purchases against raw RSA-2048 verification, 1 thread", ratios)
        ]
    }
}
