/// Files that are read as a whole.
package enum FileAccess {
    /// More than any file is worth that has to be held in memory.
    package static let sizeLimit = 67_108_864

    /// Reads a file; nil when there is none.
    package static func readIfPresent(
        _ path: String,
        hintIfLarge: String? = nil
    ) throws(UsageError) -> [UInt8]? {
        let kind: SystemCalls.FileKind
        let descriptor: Int32
        do throws(SystemCalls.Failure) {
            kind = try SystemCalls.kind(ofFileAt: path)
            descriptor = kind == .directory ? -1 : try SystemCalls.openForReading(path)
        } catch {
            if error.isAbsent { return nil }
            throw UsageError("cannot read \(Escaped(path)): \(error.reason)")
        }
        guard kind != .directory else { throw UsageError("\(Escaped(path)) is a folder", hint: "name the files in it") }
        defer { try? SystemCalls.close(descriptor) }
        return try readAll(descriptor, name: path, hintIfLarge: hintIfLarge)
    }

    /// Reads a file that has to be there; `flag` is the one that named it.
    package static func read(_ path: String, for flag: some ToolFlag) throws(UsageError) -> [UInt8] {
        if let bytes = try readIfPresent(path) { return bytes }
        throw UsageError("no such file: \(Escaped(path))", hint: "it is named by \(flag.spelling)")
    }

    /// Reads everything that comes from standard input.
    package static func readStandardInput(hintIfLarge: String? = nil) throws(UsageError) -> [UInt8] {
        try readAll(0, name: "standard input", hintIfLarge: hintIfLarge)
    }

    private static func readAll(
        _ descriptor: Int32,
        name: String,
        hintIfLarge: String?
    ) throws(UsageError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let block: [UInt8]
            do throws(SystemCalls.Failure) {
                block = try SystemCalls.read(descriptor, atMost: 65_536)
            } catch {
                throw UsageError("cannot read \(Escaped(name)): \(error.reason)")
            }
            if block.isEmpty { return bytes }
            bytes += block
            guard bytes.count <= sizeLimit else {
                throw UsageError(
                    "\(Escaped(name)) is larger than \(sizeLimit >> 20) MiB",
                    hint: hintIfLarge
                )
            }
        }
    }
}
