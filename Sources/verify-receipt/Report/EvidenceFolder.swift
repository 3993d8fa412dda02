internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

/// The folder of `--evidence`: what other programs need to check one receipt.
struct EvidenceFolder {
    let path: String

    /// Writes the files for a receipt into the folder, which must not exist.
    ///
    /// A rejected receipt that lacks what other programs check has no evidence, which is no mistake of the caller.
    func write(
        _ receipt: FoundReceipt, _ report: ReceiptReport, _ setup: VerificationSetup, _ messages: Messages
    ) throws {
        guard let files = try EvidenceFile.files(for: receipt.input, report, setup) else {
            guard report.verdict != .unverified else {
                messages.warn(
                    "there is no evidence to write: the receipt has no complete signature with its certificates",
                    hint: "the verdict stands; verify-receipt inspect shows what the receipt has")
                return
            }
            throw UsageError(
                "there is no evidence to write: the input has no complete signature with its certificates or its key",
                hint: "a Google Play purchase needs --play-key; verify-receipt inspect shows what the input has")
        }
        guard (try? SystemCalls.status(ofFileAt: path, followsLink: false)) == nil else {
            throw UsageError("\(path) already exists", hint: "name a folder that does not exist yet")
        }
        do throws(SystemCalls.Failure) {
            try SystemCalls.makeFolder(path, permissions: 0o700)
        } catch {
            throw UsageError(
                "cannot create \(path): \(error.reason)",
                hint: error.isAbsent ? "create the folder that it is to be in" : "choose another place")
        }
        do throws(FileError) {
            var folders: Set<String> = []
            for file in files {
                if let folder = file.folder, folders.insert(folder).inserted {
                    try PrivateFile.makeFolder("\(path)/\(folder)")
                }
                try PrivateFile.create("\(path)/\(file.name)", file.bytes)
            }
        } catch {
            throw UsageError(
                "the evidence in \(path) is incomplete: \(error.message)",
                hint: "remove the folder, and see that there is room")
        }
        messages.note("wrote \(files.count) files into \(path); check them with: \(command)")
    }

    /// The command that runs the script.
    private var command: String {
        let script = (path.hasPrefix("-") ? "./" : "") + path + "/check.sh"
        let isPlain = script.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./".utf8.contains(byte)
        }
        guard !isPlain else { return "sh \(script)" }
        return "sh '" + script.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension EvidenceFile {
    /// The folder that the file is in; nil if it is none of its own.
    fileprivate var folder: String? { name.firstIndex(of: "/").map { String(name[..<$0]) } }
}
