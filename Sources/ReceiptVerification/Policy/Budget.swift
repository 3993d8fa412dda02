/// Limits that bound the work for one receipt.
public enum Budget {
    /// Bytes in a receipt. The largest genuine notification seen has 18.8 kB.
    public static let receiptSize = 262_144
    /// Nesting depth of a JWS header. Genuine headers have 2 levels.
    static let headerDepth = 32
    /// Nesting depth of a payload. Genuine payloads have 4 levels.
    static let payloadDepth = 64
    /// Certificates in the `x5c` of a receipt of the App Store.
    static let chainLength = 3
    /// Milliseconds by which a signing time may be ahead of the verifier's clock: one day, for wrong clocks and time
    /// zones.
    static let clockTolerance: Int64 = 86_400_000
    /// Signing times in milliseconds since 1970, up to the last that an X.509 time can express (RFC 5280 4.1.2.5).
    static let signingTimes: ClosedRange<Int64> = 0...253_402_300_799_000
    /// Minimum bits of an RSA key that signs certificates.
    static let certificateKeyBits = 2048
    /// Minimum bits of an RSA key that signs Google Play purchases. Google Play has issued keys of 1024 bits.
    static let playKeyBits = 1024
    /// Bytes in a file of keys or certificates.
    static let trustFileSize = 1_048_576
    /// Bytes in a key cache file.
    static let keyCacheFileSize = 4_194_304
}
