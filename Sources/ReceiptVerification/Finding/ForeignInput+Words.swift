internal import ReceiptTypes

extension ForeignInput {
    private static let token = ForeignInput(
        "a bearer token",
        "it authorizes requests, and is no receipt: do not share it, and pass the body of the request or of its answer")

    /// Recognizes a short text by an ID in it, or as the text of a failed request.
    ///
    /// An ID in a long text says nothing about the text.
    static func words(_ text: [UInt8]) -> ForeignInput? {
        guard text.count <= IdentifierScan.maximumProse, !text.contains(0), !text.contains(UInt8(ascii: "{"))
        else { return nil }
        let string = String(decoding: OrderID.canonical(text), as: UTF8.self)
        let trimmed = string[...].trimmingSpaces
        if let page = markup(trimmed) { return orderID(in: string) ?? page }
        if JWSScan.candidates(in: ScannedText(text)).contains(where: \.isToken) { return token }
        let words = Self.words(of: trimmed)
        let isAboutOrder = isAboutOrder(string)
        for word in words {
            if let kind = IdentifierScan.kind(of: word, isAboutOrder: isAboutOrder) { return ForeignInput(kind) }
        }
        if let status = status(words, in: string) ?? errorText(string) { return status }
        return trimmed.contains(where: \.isWhitespace) ? nil : single(trimmed)
    }

    /// Returns the words of a text, without the full stops of sentences.
    static func words(of text: Substring) -> [Substring] {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))) }.map { $0.trimmingDots }
    }

    static func isAboutOrder(_ text: String) -> Bool { text.lowercased().contains("order") }

    /// Recognizes the ID of an order in a mail in HTML; other IDs are those of the page.
    private static func orderID(in page: String) -> ForeignInput? {
        let isAboutOrder = isAboutOrder(page)
        for word in words(of: page[...]) {
            let kind = IdentifierScan.kind(of: word, isAboutOrder: false)
            if kind == .googleOrder || isAboutOrder && kind == .appleOrder { return kind.map { ForeignInput($0) } }
        }
        return nil
    }

    // MARK: Failed requests

    private static let errorSigns = [
        "skerrordomain", "asderrordomain", "storekiterror", "nserror", "error domain=", "billingresponse",
        "billing_unavailable", "service_unavailable", "item_already_owned", "traceback (", "exception:", "stack trace",
        "unable to complete request", "permission denied", "access denied", "unauthorized", "status code",
        "failed to ", "could not be ", "error:", "error code",
    ]

    /// Recognizes a status of the verifyReceipt endpoint: a number of five digits, alone or with a word about it.
    private static func status(_ words: [Substring], in text: String) -> ForeignInput? {
        let isStatus = words.contains { $0.utf8.count == 5 && (21_000...21_199).contains(Int($0) ?? 0) }
        let text = text.lowercased()
        guard isStatus, words.count == 1 || ["status", "receipt", "error", "code"].contains(where: text.contains)
        else { return nil }
        return ForeignInput(
            "a status of the verifyReceipt endpoint", "pass the app receipt or the JWS that the app has sent to it")
    }

    private static func errorText(_ text: String) -> ForeignInput? {
        let text = text.lowercased()
        guard errorSigns.contains(where: text.contains) else { return nil }
        return ForeignInput(
            "what looks like an error message",
            "if a request has failed, its message says why; pass the receipt itself")
    }

    // MARK: A single word

    private static let extensions: Set<Substring> = [
        "bz2", "cer", "crt", "csv", "der", "eml", "gz", "html", "json", "jsonl", "jws", "jwt", "key", "log", "md",
        "ndjson",
        "p12", "p7b", "p8", "pdf", "pem", "png", "plist", "receipt", "tsv", "txt", "xml", "xz", "yaml", "yml", "zip",
        "zst",
    ]

    /// Returns whether a word is the name of a file.
    package static func isFileName(_ word: some StringProtocol) -> Bool {
        word.lastIndex(of: ".").map { extensions.contains(word[word.index(after: $0)...].lowercased()[...]) } ?? false
    }

    private static func single(_ word: Substring) -> ForeignInput? {
        if word.hasPrefix("https://") || word.hasPrefix("http://") {
            return ForeignInput("a URL", "pass what the URL leads to, or the receipt in it")
        }
        let mailbox = word.split(separator: "@", omittingEmptySubsequences: false)
        if mailbox.count == 2, !mailbox[0].isEmpty, mailbox[1].contains("."), word.count < 255 {
            return ForeignInput("an e-mail address", "ask the customer for the receipt or the order ID")
        }
        if word.allSatisfy(\.isHexDigit), word.count == 32 || word.count == 40 || word.count == 64 {
            return ForeignInput("a hexadecimal key or digest", "pass the receipt itself, not a digest of it")
        }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let isName =
            parts.count >= 3 && word.utf8.count <= 255 && parts[0].first?.isLetter == true && parts[0] != "www"
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(isNameCharacter) }
            && !isFileName(word)
        guard isName else { return nil }
        return ForeignInput("a bundle ID, a package name or a product ID", "pass the receipt of a purchase in the app")
    }

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == "_")
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }

    /// The word without the full stop of a sentence.
    fileprivate var trimmingDots: Substring {
        var text = self
        while text.last == "." { text.removeLast() }
        return text
    }
}
