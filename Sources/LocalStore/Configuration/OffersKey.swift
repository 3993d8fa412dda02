/// The key that signs promotional offers; descriptions, dumps and messages never show its private part.
public struct OffersKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The key identifier.
    public var id: String
    /// The private key, a secret: base64 of PKCS#8 in DER.
    public var privateKey: String

    /// Creates a key pair from its identifier and private key.
    public init(id: String, privateKey: String) {
        self.id = id
        self.privateKey = privateKey
    }

    /// The key identifier alone.
    public var description: String { "offers key \(id)" }
    /// The key identifier alone.
    public var debugDescription: String { description }
}

extension OffersKey: CustomReflectable {
    /// The key identifier alone: `dump` reads the mirror and not the description.
    public var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}
