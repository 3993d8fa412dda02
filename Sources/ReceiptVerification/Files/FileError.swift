/// An error in reading or writing a file.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// The kind of error; later versions can add codes.
    public struct Code: Sendable, Hashable {
        let text: String

        /// The file cannot be opened or read.
        public static let unreadable = Code(text: "cannot be read")
        /// The file cannot be written.
        public static let unwritable = Code(text: "cannot be written")
        /// The file exceeds the size limit of its kind.
        public static let tooLarge = Code(text: "is too large")
        /// The file contains a secret, and other users have access to it.
        public static let tooOpen = Code(text: "may be read by other users; restrict it with chmod 600")
        /// The file does not contain a sealing key of 32 bytes.
        public static let notAKey = Code(text: "does not contain a sealing key of 32 bytes")
        /// The file exists and is not replaced.
        public static let exists = Code(text: "already exists")
        /// The file does not match the other files of its folder.
        public static let mismatched = Code(text: "does not match the other files in its folder")
        /// An allocation failed.
        public static let outOfResources = Code(text: "cannot be used: out of memory")
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

    /// The error as one sentence.
    public var description: String {
        systemError == 0 ? "\(path) \(code.text)" : "\(path) \(code.text) (error \(systemError))"
    }
}
