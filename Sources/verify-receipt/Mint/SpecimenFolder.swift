internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The folder of `--all-flaws`: a new or an empty folder, or one with earlier specimens, which are replaced.
struct SpecimenFolder {
    /// The path without symbolic links.
    private let path: String
    /// The open folder, whose lock keeps other runs away.
    private let descriptor: Int32

    /// Creates the folder if it does not exist, and locks it until the process ends.
    init(_ path: String) throws(UsageError) {
        let isLocked: Bool
        let names: [String]
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(path)
            self.path = SystemCalls.resolved(path) ?? path
            descriptor = try SystemCalls.openForReading(self.path)
            isLocked = try SystemCalls.lock(descriptor)
            names = try SystemCalls.names(inDirectory: self.path)
        } catch {
            throw .cannotWrite(path, error, hint: "name a new or an empty folder with --all-flaws DIR")
        }
        guard isLocked else {
            throw UsageError(
                "another run is writing \(path)", hint: "wait for it to finish, or name another folder")
        }
        guard names.allSatisfy({ [".", ".."].contains($0) }) || !earlierNames.isEmpty else {
            throw UsageError(
                "\(path) contains files, but no list of earlier specimens",
                hint: "name a folder that is empty or does not exist yet")
        }
    }

    /// The names of the files in an earlier list, and of the list; empty if there is none.
    private var earlierNames: [String] {
        let list = try? PrivateFile.readPublic("\(path)/\(Specimens.listName)", maximumCount: 1_048_576)
        guard let lines = list?.split(separator: UInt8(ascii: "\n")), !lines.isEmpty else { return [] }
        var names = [Specimens.listName]
        for line in lines {
            guard let object = (try? JSONDocument.value(of: [UInt8](line)))?.object,
                object["schema"]?.text == OutputSchema.specimen.rawValue, let name = object["file"]?.text
            else { return [] }
            names.append(name)
        }
        return names
    }

    /// Writes files, each with a temporary name until it is complete, and removes earlier specimens of other names.
    ///
    /// The list is the first of the files, so that a run that was interrupted can be repeated.
    func write(_ files: [(name: String, bytes: [UInt8])]) throws(UsageError) {
        let earlier = earlierNames
        do throws(SystemCalls.Failure) {
            for (name, bytes) in files {
                let target = "\(path)/\(name)"
                let temporary = "\(target).tmp"
                SystemCalls.remove(temporary)
                let file = try SystemCalls.openForWriting(temporary, .new)
                defer {
                    try? SystemCalls.close(file)
                    SystemCalls.remove(temporary)
                }
                try SystemCalls.write(bytes, to: file)
                try SystemCalls.rename(temporary, to: target)
            }
        } catch {
            throw .cannotWrite(path, error, hint: "check the value of --all-flaws")
        }
        let current = Set(files.map(\.name))
        for name in earlier where !current.contains(name) && !name.contains("/") && !name.hasPrefix(".") {
            SystemCalls.remove("\(path)/\(name)")
        }
    }
}
