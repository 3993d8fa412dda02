public import PurchaseCore
public import ReceiptTypes
internal import ReceiptVerification

/// An error of a sealed store or of its key provider; unless the error says otherwise, nothing has changed.
public typealias SealedStoreError = PartError<SealedStoreErrorCode>

/// The stable reason of an error of a sealed store.
public struct SealedStoreErrorCode: ErrorCode {
    /// The stable name in kebab case, such as `rolled-back`.
    public let rawValue: String

    /// Creates a code of any name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// A file was changed after it was sealed, or is not a file of a sealed store.
    public static let damaged = Self(rawValue: "damaged")
    /// A file ends before the end that it states.
    public static let truncated = Self(rawValue: "truncated")
    /// The file of one value is in the place of another one's.
    public static let swapped = Self(rawValue: "swapped")
    /// A file is older than the other files of the folder.
    public static let rolledBack = Self(rawValue: "rolled-back")
    /// A file that the store has written is not there.
    public static let missingFile = Self(rawValue: "missing-file")
    /// A newer version of this package has written the folder.
    public static let newerFormat = Self(rawValue: "newer-format")
    /// The files are sealed with a key that the key provider does not have.
    public static let keyUnknown = Self(rawValue: "key-unknown")
    /// The key provider cannot be reached, or has reported an error.
    public static let keysUnavailable = Self(rawValue: "keys-unavailable")
    /// The keys are locked until the user unlocks them.
    public static let keysLocked = Self(rawValue: "keys-locked")
    /// The key provider has not answered within the deadline.
    public static let keysTimedOut = Self(rawValue: "keys-timed-out")
    /// The library that reaches the key provider is not installed.
    public static let libraryMissing = Self(rawValue: "library-missing")
    /// No service keeps keys for this user: there is no bus, no service on it, or no place in it for a new key.
    public static let keyServiceMissing = Self(rawValue: "key-service-missing")
    /// What has the place of a key is none.
    public static let notAKey = Self(rawValue: "not-a-key")
    /// The key provider cannot make keys.
    public static let rotationUnsupported = Self(rawValue: "rotation-unsupported")
    /// The name of a value is too long.
    public static let nameTooLong = Self(rawValue: "name-too-long")
    /// The value is not one of the app, such as the key of the database.
    public static let reservedName = Self(rawValue: "reserved-name")
    /// The value is too large.
    public static let valueTooLarge = Self(rawValue: "value-too-large")
    /// The store has as many values, or as many changes, as it can have.
    public static let full = Self(rawValue: "full")
    /// Users other than the owner can change the folder or a file, or the entry is not a regular file.
    public static let untrusted = Self(rawValue: "untrusted")
    /// The folder or a file cannot be read.
    public static let unreadable = Self(rawValue: "unreadable")
    /// The folder or a file cannot be written, for example because the disk is full.
    public static let unwritable = Self(rawValue: "unwritable")
    /// Another process changes the folder for longer than the store waits.
    public static let busy = Self(rawValue: "busy")
    /// An allocation failed.
    public static let outOfResources = Self(rawValue: "out-of-resources")

    /// The codes of this version.
    public static let all: [Self] = [
        .damaged, .truncated, .swapped, .rolledBack, .missingFile, .newerFormat, .keyUnknown, .keysUnavailable,
        .keysLocked, .keysTimedOut, .libraryMissing, .keyServiceMissing, .notAKey, .rotationUnsupported,
        .nameTooLong, .reservedName, .valueTooLarge, .full, .untrusted, .unreadable, .unwritable, .busy,
        .outOfResources,
    ]
}

extension SealedStoreError {
    /// What the app or the operator can do, in one sentence; nil for a code of another module.
    public var hint: String? {
        switch code {
        case .damaged, .truncated, .swapped, .missingFile:
            "restore the complete folder from a backup, or write the value again"
        case .rolledBack: "restore the complete folder from one backup, or remove all values and write them again"
        case .newerFormat: "update the program that opens the folder"
        case .keyUnknown: "put the key with which the folder was written back, or remove all values"
        case .keysUnavailable: "check that the service or the file of the keys exists, and try again"
        case .keysLocked: "ask the user to unlock the keys, and try again"
        case .keysTimedOut: "try again; if it happens repeatedly, restart the service that keeps the keys"
        case .libraryMissing: "install the library, on Debian libsecret-1-0, or keep the keys in another place"
        case .keyServiceMissing: "log in to a desktop with a Secret Service, or keep the keys in another place"
        case .notAKey: "put the key back from a copy, or start over without the values"
        case .rotationUnsupported: "give the provider the new key as the current and the old one as an earlier key"
        case .nameTooLong: "use a shorter name, such as a digest of the long one"
        case .reservedName: "use another name"
        case .valueTooLarge: "split the value, or store it in a file of its own and its key here"
        case .full: "remove values that are no longer needed"
        case .untrusted: "make the folder and its files accessible to the user of this process only"
        case .unreadable: "check that the folder exists and that the user of this process can read it"
        case .unwritable: "free space on the disk, or make the folder writable, and try again"
        case .busy: "try again, or end the process that keeps the folder locked"
        case .outOfResources: "free memory and try again"
        default: nil
        }
    }
}

extension SealedStoreError {
    /// Creates the error for a file or folder that could not be read or written.
    init(_ error: FileError) {
        let code: Code =
            switch error.code {
            case _ where error.isUntrusted: .untrusted
            case .unwritable: .unwritable
            case .tooLarge: .damaged
            case .busy: .busy
            case .outOfResources: .outOfResources
            default: .unreadable
            }
        self.init(code, error.message, underlying: error)
    }

    /// Creates the error for a failure of the cryptographic library.
    init(_ fault: CryptoFault) {
        self.init(.outOfResources, fault.message, underlying: fault)
    }
}
