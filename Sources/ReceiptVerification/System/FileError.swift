public import ReceiptTypes

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// An error in reading or writing a file.
public struct FileError: CodedError {
    /// The kind of error; later versions can add codes.
    public struct Code: ErrorCode {
        /// The stable name of the code.
        public let rawValue: String

        /// Creates a code with any name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be opened or read.
        public static let unreadable = Code(rawValue: "unreadable")
        /// The file cannot be written.
        public static let unwritable = Code(rawValue: "unwritable")
        /// The disk is full, or the file would exceed the user's quota or the largest size of a file.
        public static let noSpace = Code(rawValue: "no-space")
        /// The file exceeds the size limit of its kind.
        public static let tooLarge = Code(rawValue: "too-large")
        /// The file contains a secret, and other users have access to it.
        public static let tooOpen = Code(rawValue: "too-open")
        /// The path is a link, a folder, a device or another entry that is not a regular file.
        public static let notRegular = Code(rawValue: "not-regular")
        /// The file belongs to another user.
        public static let otherOwner = Code(rawValue: "other-owner")
        /// The file has another name too, so what is written to it can change another file.
        public static let otherName = Code(rawValue: "other-name")
        /// Users other than the owner and root can change the folder, or the folder belongs to another user.
        public static let sharedFolder = Code(rawValue: "shared-folder")
        /// Another process keeps the file locked.
        public static let busy = Code(rawValue: "busy")
        /// The file does not contain a sealing key of 32 bytes.
        public static let notAKey = Code(rawValue: "not-a-key")
        /// The file contains a private key that is encrypted.
        public static let encryptedKey = Code(rawValue: "encrypted-key")
        /// The file does not contain a private key in PEM.
        public static let notAPrivateKey = Code(rawValue: "not-a-private-key")
        /// The file contains a private key of a type that cannot sign what the key is for.
        public static let wrongKeyType = Code(rawValue: "wrong-key-type")
        /// The file exists and is not replaced.
        public static let exists = Code(rawValue: "exists")
        /// The file does not match the other files of its folder.
        public static let mismatched = Code(rawValue: "mismatched")
        /// An allocation failed.
        public static let outOfResources = Code(rawValue: "out-of-resources")
    }

    /// The kind of error.
    public let code: Code
    /// The path of the file.
    public let path: String
    /// The system's error number (`errno`); 0 if no system call failed.
    public let systemError: Int32

    package init(code: Code, path: String, systemError: Int32 = 0) {
        self.code = code
        self.path = path
        self.systemError = systemError
    }

    /// Returns the error of a file that does not exist.
    package static func missing(_ path: String) -> FileError {
        FileError(code: .unreadable, path: path, systemError: ENOENT)
    }

    /// Whether the file is not a private one: other users could have written it or can read it, or it is no file.
    package var isUntrusted: Bool { [.tooOpen, .notRegular, .otherOwner, .otherName, .sharedFolder].contains(code) }

    /// Whether a file or a folder does not exist.
    package var isMissing: Bool { systemError == ENOENT }

    /// The path, what is wrong with the file, and the system's error number.
    public var message: String {
        if code == .unreadable, let reason { return "\(path) \(reason)" }
        return systemError == 0 ? "\(path) \(problem)" : "\(path) \(problem) (error \(systemError))"
    }

    /// What the system says about a file that cannot be read, in words; nil for rare reasons.
    private var reason: String? {
        switch systemError {
        case ENOENT: "does not exist"
        case ENOTDIR: "does not exist: a part of its path is not a folder"
        case EACCES: "cannot be read: permission denied"
        case EISDIR: "is a folder"
        default: nil
        }
    }

    private var problem: String {
        switch code {
        case .unreadable: "cannot be read"
        case .unwritable: "cannot be written"
        case .noSpace: "cannot be written: there is no space left for it"
        case .tooLarge: "is too large"
        case .tooOpen: "may be read by other users; restrict it with chmod 600"
        case .notRegular: "is not a regular file"
        case .otherOwner: "belongs to another user"
        case .otherName: "has another name in the file system, and would be changed under both"
        case .sharedFolder: "can be changed by other users"
        case .busy: "is being replaced by another process"
        case .notAKey: "does not contain a sealing key of 32 bytes"
        case .encryptedKey: "contains an encrypted private key; decrypt it with: openssl pkey -in OLD -out NEW"
        case .notAPrivateKey: "does not contain a private key in PEM (PKCS#8, SEC1 or PKCS#1)"
        case .wrongKeyType: "contains a key of the wrong type; receipts need P-256, Google Play purchases need RSA"
        case .exists: "already exists"
        case .mismatched: "does not match the other files in its folder"
        case .outOfResources: "cannot be used: out of memory"
        default: "cannot be used"
        }
    }
}
