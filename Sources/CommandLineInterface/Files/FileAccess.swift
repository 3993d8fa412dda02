/// Reads complete files into memory.
package enum FileAccess {
    /// The largest file that is read into memory, in bytes.
    package static let sizeLimit = 67_108_864

    /// Reads a file; returns nil if it does not exist.
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
            throw .cannotRead(path, error)
        }
        guard kind != .directory else {
            throw UsageError("\(Escaped(path)) is a folder", hint: "name the files in it")
        }
        defer { try? SystemCalls.close(descriptor) }
        return try readAll(descriptor, name: path, hintIfLarge: hintIfLarge)
    }

    /// Reads a file that must exist.
    ///
    /// - Parameter flag: The flag whose value is the path, as it is written on the command line.
    package static func read(_ path: String, from flag: String) throws(UsageError) -> [UInt8] {
        if let bytes = try readIfPresent(path) { return bytes }
        throw UsageError("no such file: \(Escaped(path))", hint: "check the value of \(flag)")
    }

    /// Reads standard input to its end.
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
                throw .cannotRead(name, error)
            }
            if block.isEmpty { return bytes }
            bytes += block
            guard bytes.count <= sizeLimit else {
                throw UsageError("\(Escaped(name)) is larger than \(sizeLimit >> 20) MiB", hint: hintIfLarge)
            }
        }
    }
}

extension UsageError {
    /// The error for a file that exists and cannot be read.
    package static func cannotRead(_ path: String, _ failure: SystemCalls.Failure) -> UsageError {
        UsageError("cannot read \(Escaped(path)): \(failure)")
    }

    /// The error for a file that cannot be written.
    package static func cannotWrite(
        _ path: String,
        _ failure: SystemCalls.Failure,
        hint: String? = nil
    ) -> UsageError {
        UsageError("cannot write \(Escaped(path)): \(failure)", hint: hint)
    }
}
