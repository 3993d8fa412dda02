/// Finds out which of several signatures belongs to the data of a Google Play purchase.
///
/// Data and signatures that stand beside each other in a text can be paired in several ways. If the key of the app is
/// known, the pair whose signature is valid is the right one. It is verified afterwards like any other pair.
package final class SignatureTrials {
    /// The work for one input, in bytes: a verification counts like some thousand bytes, so there are at most 256.
    private var rest = 2_097_152
    private static let costOfVerification = 8192
    /// The largest data and signatures that are tried; genuine ones have less than 1 kB.
    private static let maximumSize = 16_384

    private struct Pair: Hashable {
        let data: [UInt8]
        let signature: [UInt8]
    }

    private let verify: (_ signature: [UInt8], _ data: [UInt8]) -> Bool
    /// The results so far, so that a pair has one result, whether or not further pairs are tried.
    private var results: [Pair: Bool] = [:]

    /// Creates the trials of one input.
    ///
    /// - Parameter verify: Returns whether a signature is valid over data.
    init(_ verify: @escaping (_ signature: [UInt8], _ data: [UInt8]) -> Bool) {
        self.verify = verify
    }

    /// Returns whether a signature is known to be valid over data.
    func isValid(_ signature: [UInt8], over data: [UInt8]) -> Bool {
        guard data.count <= Self.maximumSize, signature.count <= Self.maximumSize else { return false }
        let pair = Pair(data: data, signature: signature)
        if let result = results[pair] { return result }
        let cost = data.count + Self.costOfVerification
        guard cost <= rest else { return false }
        rest -= cost
        let result = verify(signature, data)
        results[pair] = result
        return result
    }

    /// Returns the first signature that is known to be valid over data.
    func valid(among signatures: some Sequence<[UInt8]>, over data: [UInt8]) -> [UInt8]? {
        signatures.first { isValid($0, over: data) }
    }
}
