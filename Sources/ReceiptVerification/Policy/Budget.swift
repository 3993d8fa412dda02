/// Limits that bound the work for one receipt.
package enum Budget {
    /// The default maximum size of a receipt in bytes; the largest genuine notification seen has 18.8 kB.
    static let receiptSize = 262_144
    /// The maximum size of an app receipt in bytes, of any policy; that of a customer with 20,000 purchases has 7 MB.
    package static let appReceiptSize = 8_388_608
    /// The maximum size in bytes of an app receipt in BER, which only Xcode writes; OpenSSL needs up to 40 times the
    /// size to read it.
    static let berReceiptSize = 262_144
    /// The maximum number of in-app purchases in an app receipt; long-standing subscribers have thousands.
    package static let appReceiptPurchases = 20_000
    /// The maximum number of attributes of an app receipt beside its in-app purchases; genuine receipts have 21.
    package static let appReceiptAttributes = 256
    /// The maximum number of attributes of an in-app purchase; genuine ones have 20.
    package static let purchaseAttributes = 128
    /// The sizes in bits of an RSA key that signs app receipts; genuine keys have 2048.
    static let receiptKeyBits = 2048...4096
    /// The maximum nesting depth of a JWS header; genuine headers have 2 levels.
    static let headerDepth = 32
    /// The maximum nesting depth of a payload; genuine payloads have 4 levels.
    static let payloadDepth = 64
    /// The number of certificates in `x5c`, except for a single local certificate.
    static let chainLength = 3
    /// How far a signing time may be ahead of the verifier's clock, in milliseconds: one day, for wrong clocks.
    package static let clockTolerance: Int64 = 86_400_000
    /// The signing times in milliseconds since 1970, up to the last that an X.509 time can express (RFC 5280 4.1.2.5).
    static let signingTimes: ClosedRange<Int64> = 0...253_402_300_799_000
    /// The minimum size in bits of an RSA key that signs certificates.
    static let certificateKeyBits = 2048
    /// The sizes in bits of an RSA key that signs Google Play purchases; the store has issued keys of 1024 bits.
    static let playKeyBits = 1024...16_384
    /// The maximum size in bytes of the text of a Google Play signature; that of the longest key has 2,732 digits.
    static let maximumPlaySignature = 8192
    /// The maximum size in bytes of a file of keys or certificates.
    package static let trustFileSize = 1_048_576
    /// The maximum size in bytes of a key cache file.
    static let keyCacheFileSize = 4_194_304
}
