extension ForeignInput {
    static let privateKey = ForeignInput(
        "a private key", "do not share it: replace the key if it has left its owner's hands", isSecret: true)
    static let certificate = ForeignInput(
        "a certificate", "a certificate can be trusted as a root; the receipt is the text that it has signed")
    static let publicKey = ForeignInput(
        "a public key", "a key verifies receipts and is none; pass the purchase with its signature")
    private static let image = ForeignInput("an image", "copy the text of the receipt instead of a picture of it")

    private static func compressed(_ name: String, _ command: String) -> ForeignInput {
        ForeignInput(name, "decompress it first, and pass the output: \(command)")
    }

    private static let spreadsheet = "save it as CSV in UTF-8, and pass that file"
    private static let workbook = ForeignInput("an Excel workbook", spreadsheet)
    private static let openDocument = ForeignInput("an OpenDocument spreadsheet", spreadsheet)
    private static let officeDocument = ForeignInput("an Office document", "save a table in it as CSV in UTF-8")
    private static let columns =
        "read the column of the receipts with the Python package, which verifies the columns of Polars, DuckDB, Spark "
        + "and Arrow"

    /// The files of spreadsheets, which are zip archives, with a part of the names in them.
    private static let archives: [(sign: [UInt8], kind: ForeignInput)] = [
        ([UInt8]("xl/".utf8), workbook), ([UInt8]("opendocument.spreadsheet".utf8), openDocument),
        ([UInt8]("[Content_Types].xml".utf8), officeDocument),
    ]
    /// The bytes at the beginning of an archive in which the names are searched.
    private static let archiveHead = 8192

    /// Data in a container, which no part of a text can be.
    private static let compressedFiles: [(beginning: [UInt8], kind: ForeignInput)] = [
        ([0x1F, 0x8B], compressed("gzip data", "zcat FILE, or zcat < FILE")),
        ([0x50, 0x4B, 0x03, 0x04], compressed("a zip archive", "unzip -p FILE")),
        ([0x28, 0xB5, 0x2F, 0xFD], compressed("zstd data", "zstdcat FILE")),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A], compressed("xz data", "xzcat FILE")),
        ([0x42, 0x5A, 0x68, 0x39, 0x31, 0x41, 0x59], compressed("bzip2 data", "bzcat FILE")),
        ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], workbook),
        ([UInt8]("PAR1".utf8), ForeignInput("a Parquet file", columns)),
        ([UInt8]("ARROW1".utf8), ForeignInput("an Arrow file", columns)),
        ([UInt8]("Obj\u{1}".utf8), ForeignInput("an Avro file", columns)),
    ]
    private static let files: [(beginning: [UInt8], kind: ForeignInput)] = [
        ([UInt8]("%PDF-".utf8), ForeignInput("a PDF document", "copy the receipt's text out of it")),
        ([UInt8]("SQLite format 3\0".utf8), ForeignInput("a SQLite database", "export the column of the receipts")),
        ([UInt8]("bplist00".utf8), ForeignInput("a binary property list", "convert it to text, and pass the receipt")),
        ([0x89, 0x50, 0x4E, 0x47], image), ([0xFF, 0xD8, 0xFF], image), ([UInt8]("GIF8".utf8), image),
    ]

    /// Recognizes compressed data and tables in binary by their first bytes.
    static func compressedFile(beginningWith bytes: RawSpan) -> ForeignInput? {
        container([UInt8](bytes.extracting(0..<min(bytes.byteCount, archiveHead)).array))
    }

    private static func container(_ bytes: [UInt8]) -> ForeignInput? {
        guard let file = compressedFiles.first(where: { bytes.starts(with: $0.beginning) }) else { return nil }
        guard bytes.starts(with: [0x50, 0x4B]) else { return file.kind }
        let head = bytes.prefix(archiveHead)
        return archives.first { head.firstRange(of: $0.sign) != nil }?.kind ?? file.kind
    }

    /// Returns the kind of compressed data, or of a table in binary, with a name.
    package static func compressedFile(named name: String) -> ForeignInput? {
        (compressedFiles + archives.map { ([], $0.kind) }).first { $0.kind.name == name }?.kind
    }

    /// Recognizes a file by its first bytes, and certificates and keys in DER.
    static func file(_ bytes: [UInt8]) -> ForeignInput? {
        if let file = container(bytes) ?? files.first(where: { bytes.starts(with: $0.beginning) })?.kind { return file }
        guard bytes.first == 0x30, let start = startOfContent(bytes) else { return nil }
        if (try? Certificate(der: bytes)) != nil { return certificate }
        if (try? bytes.withRawSpan { (span) throws(CryptoFault) in try PublicKey(subjectPublicKeyInfo: span) }) != nil {
            return publicKey
        }
        // The version number that a private key begins with: 0 in PKCS#8 (RFC 5958), 1 in SEC 1 (RFC 5915), and 3 in
        // PKCS#12 (RFC 7292).
        let content = bytes[start...]
        guard content.starts(with: [0x02, 0x01]), let version = content.dropFirst(2).first else { return nil }
        return [0, 1, 3].contains(version) ? privateKey : nil
    }

    /// Returns the index after the tag and the length of a DER value; nil unless that is the length of the rest.
    private static func startOfContent(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 8 else { return nil }
        // The length is one byte, or a first byte whose low bits count the bytes that follow (X.690 8.1.3).
        let lengthBytes = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        let start = 2 + lengthBytes
        guard lengthBytes <= 4, start <= bytes.count else { return nil }
        let length = bytes[1] < 0x80 ? Int(bytes[1]) : bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count - start == length ? start : nil
    }

    /// What programs make of the OID of an app receipt that they print or decode in a way that is not read.
    private static let prints: [(sign: String, name: String)] = [
        ("* 206   H 206 367", "an app receipt as od -c prints it"),
        ("*M-^FHM-^FM-w", "an app receipt as cat -v prints it"),
        ("*\u{FFFD}H\u{FFFD}\u{FFFD}", "an app receipt that was decoded as UTF-8"),
        ("*\u{86}H\u{86}\u{F7}", "an app receipt that was decoded as Latin-1"),
        ("*\u{2020}H\u{2020}\u{F7}", "an app receipt that was decoded as Windows-1252"),
    ]

    /// Recognizes the bytes of an app receipt that a program has made text of.
    static func printedReceipt(_ text: [UInt8]) -> ForeignInput? {
        guard text.contains(UInt8(ascii: "*")) else { return nil }
        let print = prints.first { text.firstRange(of: [UInt8]($0.sign.utf8)) != nil }
        return print.map {
            ForeignInput(
                $0.name, "its bytes are no text: pass the file itself, or its base64, as base64 FILE prints it")
        }
    }

    /// Recognizes keys and certificates in their textual encoding (RFC 7468), anywhere in a text.
    static func pemFile(_ text: [UInt8]) -> ForeignInput? {
        guard text.contains(UInt8(ascii: "-")) else { return nil }
        if let key = privateKey(in: text) { return key }
        let string = String(decoding: text, as: UTF8.self)
        let labels = PEMLabels.first(in: ScannedText(text))
        if string.hasPrefix("ssh-") && string.contains(" AAAA") || labels.contains(where: { $0.contains("PUBLIC KEY") })
        {
            return publicKey
        }
        if labels.contains("CERTIFICATE REQUEST") {
            return ForeignInput("a certificate request", "it contains no receipt; pass the receipt's text")
        }
        if labels.contains(where: { $0.contains("CERTIFICATE") }) { return certificate }
        return labels.first.map { ForeignInput("PEM data with the label \($0.prefix(40))", "pass the receipt's text") }
    }

    /// Recognizes documents in markup languages.
    static func markup(_ text: Substring) -> ForeignInput? {
        let beginning = text.prefix(64).lowercased()
        if ["<!doctype html", "<html"].contains(where: beginning.hasPrefix) {
            return ForeignInput("an HTML page", "a server may have answered with an error page; repeat the request")
        }
        if text.hasPrefix("<?xml") || text.hasPrefix("<plist") {
            let name = text.contains("<plist") ? "a property list" : "an XML document"
            return ForeignInput(name, "pass the receipt in it, which is a long text without spaces")
        }
        return nil
    }
}
