/// The places of an app's purchases in one folder.
///
/// | path | contents |
/// | --- | --- |
/// | `purchases.sqlite` | the database, with the files that SQLite and the package keep beside it |
/// | `secrets/` | the sealed store: the key of the database, and the verification keys |
/// | `keys/sealing.key` | the key of the sealed store |
///
/// Leave `keys/` out of the backups of the folder, and keep a copy of it elsewhere: without it a backup can only be set
/// aside, see ``PurchaseFiles/startOver(in:keys:environment:)``.
public struct PurchaseFolder: Sendable, Hashable {
    /// The path of the folder. Other users must not be able to change it.
    public let path: String

    /// Names a folder; opening it creates what does not exist.
    public init(_ path: String) {
        self.path = path
    }

    /// The path of the database.
    public var databasePath: String { "\(path)/purchases.sqlite" }
    /// The path of the folder of the sealed store.
    public var secretsPath: String { "\(path)/secrets" }
    /// The path of the file with the key of the sealed store.
    public var keyPath: String { "\(keyFolderPath)/\(Self.keyFileName)" }

    var keyFolderPath: String { "\(path)/keys" }
    static let keyFileName = "sealing.key"

    /// The name of the value in the sealed store that is the key of the database, which cannot be read without it.
    public static let databaseKeyName = "database-key"
}
