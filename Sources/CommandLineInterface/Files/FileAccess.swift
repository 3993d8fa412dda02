/// Reads complete files into memory.
package enum FileAccess {
    /// The largest file that is read into memory, in bytes.
    package static let sizeLimit = 67_108_864

    /// Reads a file; returns nil if it does not exist.
    package static func readIfPresent(
        _ path: String,
        hintIfLarge: Escaped? = nil
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
            throw UsageError("\(path) is a folder", hint: "name the files in it")
        }
        defer { try? SystemCalls.close(descriptor) }
        return try readAll(descriptor, name: path, hintIfLarge: hintIfLarge)
    }

    /// Reads a file that must exist.
    ///
    /// - Parameter flag: The flag whose value is the path, as it is written on the command line.
    package static func read(_ path: String, from flag: String) throws(UsageError) -> [UInt8] {
        if let bytes = try readIfPresent(path) { return bytes }
        throw UsageError("no such file: \(path)", hint: "check the value of \(flag)")
    }

    /// Reads standard input to its end; a terminal without the limit for a line, after a note that says how to end it.
    package static func readStandardInput(
        _ messages: Messages,
        hintIfLarge: Escaped? = nil
    ) throws(UsageError) -> [UInt8] {
        let name = "standard input"
        guard SystemCalls.isTerminal(0) else { return try readAll(0, name: name, hintIfLarge: hintIfLarge) }
        return try TerminalMode.withBytes { (end, erase) throws(UsageError) in
            messages.note("paste the text, and end it with Control-D")
            return try readAll(0, name: name, hintIfLarge: hintIfLarge) { block, bytes in
                for byte in block {
                    if byte == end { return true }
                    if byte == erase { _ = bytes.popLast() } else { bytes.append(byte) }
                }
                return false
            }
        }
    }

    /// - Parameter append: Appends a block to the bytes, and returns whether it ends them.
    private static func readAll(
        _ descriptor: Int32,
        name: String,
        hintIfLarge: Escaped?,
        append: (_ block: [UInt8], _ bytes: inout [UInt8]) -> Bool = { block, bytes in
            bytes += block
            return false
        }
    ) throws(UsageError) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let block: [UInt8]
            do throws(SystemCalls.Failure) {
                block = try SystemCalls.read(descriptor, atMost: 65_536)
            } catch {
                throw .cannotRead(name, error)
            }
            if block.isEmpty || append(block, &bytes) { return bytes }
            guard bytes.count <= sizeLimit else {
                throw UsageError("\(name) is larger than \(sizeLimit >> 20) MiB", hint: hintIfLarge)
            }
        }
    }
}

extension UsageError {
    /// The error for a file that exists and cannot be read.
    package static func cannotRead(_ path: String, _ failure: SystemCalls.Failure) -> UsageError {
        UsageError("cannot read \(path): \(failure)")
    }

    /// The error for a value of a flag that names no certificate or key to distrust.
    ///
    /// - Parameters:
    ///   - flag: The flag as it was given.
    ///   - reason: The reason that the file cannot be used; nil if the value is no digest and no file.
    package static func cannotDistrust(_ value: String, from flag: String, _ reason: String?) -> UsageError {
        if let reason {
            return UsageError("\(value) cannot be distrusted: \(reason)", hint: "\(flag) takes DER or PEM")
        }
        return UsageError(
            "\(flag) does not take \(Escaped(value).quoted)",
            hint: "it takes the SHA-256 of a certificate or of a key, in 64 hexadecimal digits, or a file with a "
                + "certificate; verify-receipt inspect prints the digest")
    }

    /// The error for a file that cannot be written.
    package static func cannotWrite(
        _ path: String,
        _ failure: SystemCalls.Failure,
        hint: Escaped? = nil
    ) -> UsageError {
        UsageError("cannot write \(path): \(failure)", hint: hint)
    }
}
