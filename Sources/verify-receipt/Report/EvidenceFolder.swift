internal import CommandLineInterface
internal import ReceiptVerification

/// The folder of `--evidence`: what other programs need to check one receipt.
struct EvidenceFolder {
    let path: String

    /// Writes the files for a receipt into the folder, which must not exist.
    func write(_ receipt: FoundReceipt, _ setup: VerificationSetup, _ messages: Messages) throws {
        guard let files = try EvidenceFile.files(for: receipt.input, setup) else {
            throw UsageError(
                "there is no evidence to write: the input has no complete signature with its certificates or its key",
                hint: "a Google Play purchase needs --play-key; verify-receipt inspect shows what the input has")
        }
        do throws(FileError) {
            guard try !PrivateFile.exists(path) else { throw FileError(code: .exists, path: path) }
            try PrivateFile.makeFolder(path)
            var folders: Set<String> = []
            for file in files {
                if let folder = file.folder, folders.insert(folder).inserted {
                    try PrivateFile.makeFolder("\(path)/\(folder)")
                }
                try PrivateFile.create("\(path)/\(file.name)", file.bytes)
            }
        } catch {
            throw UsageError(
                "the evidence cannot be written: \(Escaped(error.message))",
                hint: "name a folder that does not exist yet")
        }
        messages.note("wrote \(files.count) files into \(Escaped(path)); sh \(Escaped(path))/check.sh checks them")
    }
}

extension EvidenceFile {
    /// The folder that the file is in; nil if it is none of its own.
    fileprivate var folder: String? { name.firstIndex(of: "/").map { String(name[..<$0]) } }
}
