/// The key that signs promotional offers. It is in no description and no message.
public struct OffersKey: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The key's id.
    public var id: String
    /// The private key: base64 of PKCS#8 in DER. A secret.
    public var privateKey: String

    /// Takes a key.
    public init(id: String, privateKey: String) {
        self.id = id
        self.privateKey = privateKey
    }

    /// The key's id alone.
    public var description: String { "offers key \(id)" }
    /// The key's id alone.
    public var debugDescription: String { description }
}

extension OffersKey: CustomReflectable {
    /// The key's id alone: a dump goes through the mirror and not through the description.
    public var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}
