internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The file of a batch's checkpoint.
struct CheckpointFile {
    let path: String

    /// Reads the checkpoint; returns nil with a warning if there is one that cannot be used, and without one if there
    /// is none.
    func load(_ messages: Messages) throws(UsageError) -> BatchCheckpoint? {
        do throws(SystemCalls.Failure) {
            guard let descriptor = try SystemCalls.openRegularFile(path) else {
                return ignore("it is not a regular file", messages)
            }
            defer { try? SystemCalls.close(descriptor) }
            guard try SystemCalls.status(of: descriptor).isOwnAndSingle else {
                return ignore("it does not belong to this user alone", messages)
            }
            var bytes: [UInt8] = []
            while bytes.count <= BatchCheckpoint.maximumSize,
                try SystemCalls.read(descriptor, atMost: 65_536, appendingTo: &bytes) > 0
            {}
            return (try? BatchCheckpoint(bytes)) ?? ignore("it is damaged", messages)
        } catch {
            if error.isAbsent { return nil }
            throw .cannotRead(path, error)
        }
    }

    private func ignore(_ reason: String, _ messages: Messages) -> BatchCheckpoint? {
        messages.warn("the checkpoint \(path) is ignored and the run starts from the beginning: \(reason)")
        return nil
    }

    /// Replaces the checkpoint; a reader finds either the old one or the new one, complete.
    func save(_ checkpoint: BatchCheckpoint) throws(UsageError) {
        let temporary = path + ".new"
        // What a killed run has left, or a link that leads elsewhere.
        SystemCalls.remove(temporary)
        do throws(SystemCalls.Failure) {
            let descriptor = try SystemCalls.openForWriting(temporary, .new)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.write(checkpoint.text, to: descriptor)
            try SystemCalls.synchronize(descriptor)
            try SystemCalls.rename(temporary, to: path)
        } catch {
            throw .cannotWrite(path, error)
        }
    }
}

/// Everything that determines the results of a batch.
struct BatchRun {
    /// The flags that do not affect the results.
    private static let flagsWithoutEffect: Set<Flag> = [
        .jobs, .lineBuffered, .resume, .output, .color, .quiet, .verbose, .keyCache, .sealingKey, .stateDirectory,
        .allowEmpty,
    ]

    /// The digest of the tool's version, the flags, the roots and keys, and the inputs; nil if the results cannot be
    /// made again.
    let digest: SHA256Digest?
    /// The reason why a later run cannot continue this one.
    let obstacle: UsageError?

    init(
        _ arguments: Arguments, _ inputs: [BatchInput], _ output: BatchOutputFormat, _ setup: VerificationSetup,
        _ redaction: Redaction?
    ) throws {
        guard redaction == nil || arguments.mentions(.redactKey) else {
            digest = nil
            obstacle = UsageError(
                "--resume cannot continue a run with --redact, whose random key is gone",
                hint: "name a key with --redact-key FILE, or leave out --resume")
            return
        }
        // The name of the output, which does not count, can choose the format.
        var text = "\(VerifyReceipt.version)\n\(output.rawValue)"
        for flag in Flag.allCases where arguments.mentions(flag) && !Self.flagsWithoutEffect.contains(flag) {
            text += "\n\(flag.spelling)=\(arguments.has(flag)) \(arguments.values(of: flag))"
        }
        // The contents, since other roots or keys can be in the same files by now.
        for anchor in setup.anchors.anchors { text += "\nroot \(anchor.fingerprint)" }
        if let digest = setup.fileDigest { text += "\npolicy \(digest)" }
        for line in try setup.playKeys.identity() { text += "\nkey \(line)" }
        if let redaction { text += "\npseudonyms \(redaction.pseudonym(of: text))" }
        for input in inputs {
            guard let status = input.status else {
                let name = input.path == "-" ? "standard input" : "\(Escaped(input.path))"
                digest = nil
                obstacle = UsageError(
                    "--resume cannot continue a run over \(name), which is not a file",
                    hint: "write the input to a file, or leave out --resume")
                return
            }
            // A copy with the same bytes is another input: its inode and its times differ. A file of a folder is one
            // receipt.
            text += "\n\(input.path.debugDescription) \(input.folder == nil ? "lines" : "whole")"
            text += " \(status.size) \(status.modified) \(status.changed) \(status.identity.number)"
        }
        digest = try SHA256Digest.of(bytes: [UInt8](text.utf8))
        obstacle = nil
    }
}
