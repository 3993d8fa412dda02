import Testing

@testable import ReceiptVerification

@Suite("Deterministic signatures")
struct DeterministicSignatureTests {
    /// The key of RFC 6979 A.2.5, as PKCS#8.
    private static func key() throws -> PrivateKey {
        let number = try #require(
            Hexadecimal.decode("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"))
        let algorithm: [UInt8] = [
            0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D,
            0x03, 0x01, 0x07,
        ]
        let key: [UInt8] = [0x04, 0x27, 0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20] + number
        return try PrivateKey(pkcs8: [0x30, 0x41, 0x02, 0x01, 0x00] + algorithm + key)
    }

    @Test(
        "a signature is that of RFC 6979 A.2.5",
        arguments: [
            (
                "sample",
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                    + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            ),
            (
                "test",
                "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367"
                    + "019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083"
            ),
        ])
    func knownSignatures(message: String, signature: String) throws {
        let key = try Self.key()
        let actual = try key.signES256([UInt8](message.utf8), isDeterministic: true)
        #expect(Hexadecimal.encode(actual) == signature)
        #expect(try key.signES256([UInt8](message.utf8)) != actual)
    }

    @Test("signatures of many messages verify, and a key on another curve is an error")
    func signaturesVerify() throws {
        let key = try Self.key()
        let publicKey = ES256PublicKey(try key.publicKey())
        for number in 0..<50 {
            let message = [UInt8]("message \(number)".utf8)
            let signature = try key.signES256(message, isDeterministic: true)
            #expect(publicKey.isValidSignature(signature, for: message))
        }
        let other = try PrivateKey(generating: .p384)
        #expect(throws: CryptoFault.self) { try other.signES256([], isDeterministic: true) }
    }
}
