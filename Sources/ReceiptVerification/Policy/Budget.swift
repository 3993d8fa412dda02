/// What verification spends on one receipt at the most, whatever the receipt says.
package enum Budget {
    /// Levels of arrays and objects in a JWS header; genuine ones have 2.
    static let headerDepth = 32
    /// Levels of arrays and objects in a payload; genuine ones have 4.
    static let payloadDepth = 64
    /// Entries of `x5c` that are looked at; genuine ones have 3.
    static let chainLength = 3
    /// How far ahead of the verifier's clock a receipt may be signed, in milliseconds: one day, for clocks and zones.
    static let clockTolerance: Int64 = 86_400_000
    /// The instants that an X.509 time can express from 1970 on (RFC 5280 4.1.2.5), in milliseconds since 1970.
    static let signingTimes: ClosedRange<Int64> = 0...253_402_300_799_000
    /// Bits of an RSA key that signs certificates.
    static let certificateKeyBits = 2048
    /// Bits of an RSA key that signs Play purchases; the store has made 1024-bit keys.
    static let playKeyBits = 1024
    /// Bytes of a file of keys or certificates.
    package static let trustFileSize = 1_048_576
    /// Bytes of a key cache file.
    static let keyCacheFileSize = 4_194_304
}
