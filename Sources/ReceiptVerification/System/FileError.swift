/// A file could not be read or written.
public struct FileError: Error, Sendable, CustomStringConvertible {
    /// What is wrong; new codes may come.
    public struct Code: Sendable, Hashable {
        let text: String

        /// The file cannot be opened or read.
        public static let unreadable = Code(text: "cannot be read")
        /// The file cannot be written.
        public static let unwritable = Code(text: "cannot be written")
        /// The file is larger than any of its kind.
        public static let tooLarge = Code(text: "is too large")
        /// Other users may read or write a file that holds a secret.
        public static let tooOpen = Code(text: "may be read by other users; restrict it with chmod 600")
        /// The file holds no sealing key of 32 bytes.
        public static let notAKey = Code(text: "holds no sealing key of 32 bytes")
        /// There is such a file already, and it is not replaced.
        public static let exists = Code(text: "exists already")
        /// The file does not belong to the others of its folder.
        public static let mismatched = Code(text: "does not belong to the files beside it")
        /// There was no memory.
        public static let outOfResources = Code(text: "cannot be used for lack of memory")
    }

    /// What is wrong.
    public let code: Code
    /// The file.
    public let path: String
    /// The system's error number; 0 where it gave none.
    public let systemError: Int32

    package init(code: Code, path: String, systemError: Int32 = 0) {
        self.code = code
        self.path = path
        self.systemError = systemError
    }

    /// One sentence.
    public var description: String {
        systemError == 0 ? "\(path) \(code.text)" : "\(path) \(code.text) (error \(systemError))"
    }
}
