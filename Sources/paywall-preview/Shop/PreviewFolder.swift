internal import CommandLineInterface
internal import ReceiptTypes

/// The folder of a shop: the store with its keys and its state, and the files of the app.
struct PreviewFolder {
    let path: String
    private let isTemporary: Bool

    /// Uses or creates the folder of `--data`, locked against other processes; without a path, a new temporary one.
    ///
    /// - Parameter spelling: The flag as it was given.
    init(
        _ path: String?, from spelling: String, temporaryFolder: String,
        using generator: inout some RandomNumberGenerator
    ) throws(UsageError) {
        self.path = path ?? "\(temporaryFolder)/paywall-preview-\(String(generator.next() as UInt64, radix: 16))"
        isTemporary = path == nil
        let status: FileStatus
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(self.path, permissions: 0o700)
            status = try SystemCalls.status(ofFileAt: self.path, followsLink: false)
        } catch {
            throw Self.unusable(self.path, error, spelling)
        }
        if let problem = Self.problem(of: status) {
            throw UsageError(
                "\(Escaped(self.path)) \(problem)", hint: "name a folder that only you can change with \(spelling)")
        }
        let isLocked: Bool
        do throws(SystemCalls.Failure) {
            // The descriptor stays open: the system releases the lock when the process ends, even if it is killed.
            isLocked = try SystemCalls.lock(
                try SystemCalls.openForWriting("\(self.path)/lock", .keeping, permissions: 0o600))
        } catch {
            throw Self.unusable(self.path, error, spelling)
        }
        guard isLocked else {
            throw UsageError(
                "another paywall-preview process is using \(Escaped(self.path))",
                hint: "choose another folder with \(spelling)")
        }
    }

    private static func unusable(
        _ path: String, _ error: SystemCalls.Failure, _ spelling: String
    ) -> UsageError {
        UsageError(
            "cannot use the folder \(Escaped(path)): \(error.reason)", hint: "choose another folder with \(spelling)")
    }

    /// The reason that the keys of a store must not be in a folder; nil if they can be.
    private static func problem(of folder: FileStatus) -> String? {
        if folder.kind == .link { return "is a symbolic link" }
        guard folder.isOwn else { return "belongs to another user" }
        return folder.isWritableByOthers ? "can be changed by other users" : nil
    }

    /// The keys of the store.
    var keys: String { "\(path)/store" }
    var state: String { "\(path)/store.state" }
    var app: String { "\(path)/app" }
    /// The file with the purchases of the paywalls that have not arrived.
    var openPurchases: String { "\(path)/open-purchases.json" }
    /// The file that counts the paywalls that the customer has seen.
    var views: String { "\(path)/paywall-views.json" }

    /// Removes a temporary folder with all that is in it.
    func removeIfTemporary() {
        if isTemporary { SystemCalls.removeTree(path) }
    }
}
