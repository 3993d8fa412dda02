internal import ReceiptTypes

extension ForeignInput {
    /// The length of the longest text whose words are compared: an ID in a long text says nothing about the text.
    private static let maximumLength = 4096

    private static let appleOrder = ForeignInput(
        "an Apple order ID",
        "look it up with Look Up Order ID of the App Store Server API, which returns signed transactions")
    private static let transaction = ForeignInput(
        "a transaction ID of the App Store",
        "get the signed transaction with Get Transaction Info of the App Store Server API")
    private static let googleOrder = ForeignInput(
        "a Google order ID",
        "look it up in the order management of the Play Console, or with orders.get of the Play Developer API")
    private static let purchaseToken = ForeignInput(
        "a Google Play purchase token",
        "ask the Play Developer API about it: purchases.productsv2 or purchases.subscriptionsv2")
    private static let token = ForeignInput(
        "a bearer token",
        "it authorizes requests, and is no receipt: do not share it, and pass the body of the request or of its answer")

    /// Recognizes a short text by an ID in it.
    static func words(_ text: [UInt8]) -> ForeignInput? {
        guard text.count <= maximumLength, !text.contains(0), !text.contains(UInt8(ascii: "{")) else { return nil }
        let string = String(decoding: text, as: UTF8.self)
        let trimmed = string[...].trimmingSpaces
        if let page = markup(trimmed) { return orderID(in: string) ?? page }
        if JWSScan.candidates(in: ScannedText(text)).contains(where: \.isToken) { return token }
        let isAboutOrder = isAboutOrder(string)
        for word in Self.words(of: trimmed) {
            if isGoogleOrder(word) { return googleOrder }
            if isPurchaseToken(word) { return purchaseToken }
            if isAppleOrder(word, isAboutOrder: isAboutOrder) { return appleOrder }
            if isTransaction(word) { return transaction }
            if UUIDText(String(word)).isUUID {
                return ForeignInput(
                    "a UUID, such as a notificationUUID or an appAccountToken",
                    "find the notification with Get Notification History of the App Store Server API")
            }
        }
        return trimmed.contains(where: \.isWhitespace) ? nil : single(trimmed)
    }

    private static func words(of text: Substring) -> [Substring] {
        text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0))) }.map { $0.trimmingDots }
    }

    private static func isAboutOrder(_ text: String) -> Bool { text.lowercased().contains("order") }

    // MARK: IDs

    /// Recognizes the ID of an order in a mail in HTML; other IDs are those of the page.
    private static func orderID(in page: String) -> ForeignInput? {
        let isAboutOrder = isAboutOrder(page)
        for word in words(of: page[...]) {
            if isGoogleOrder(word) { return googleOrder }
            if isAboutOrder, isAppleOrder(word, isAboutOrder: false) { return appleOrder }
        }
        return nil
    }

    /// `GPA.1234-5678-9012-34567`, with `..0` and so on for the renewals of a subscription.
    private static func isGoogleOrder(_ word: Substring) -> Bool {
        guard word.hasPrefix("GPA.") else { return false }
        let groups = word.dropFirst(4).split(separator: ".").first?.split(separator: "-") ?? []
        return groups.map(\.count) == [4, 4, 4, 5] && groups.allSatisfy { $0.allSatisfy(\.isNumber) }
    }

    /// A long text with a dot and `AO-J1` after it.
    private static func isPurchaseToken(_ word: Substring) -> Bool {
        word.count >= 60 && word.contains(".AO-J1")
    }

    /// `MK5TTJQFXG`: 10 to 12 capitals and digits, of which the first is M.
    private static func isAppleOrder(_ word: Substring, isAboutOrder: Bool) -> Bool {
        word.first == "M" && (10...12).contains(word.count) && word.allSatisfy { $0.isNumber || $0.isUppercase }
            && (isAboutOrder || word.contains(where: \.isNumber))
    }

    /// 14 to 16 digits, which are no date with a time.
    private static func isTransaction(_ word: Substring) -> Bool {
        guard (14...16).contains(word.count), word.allSatisfy(\.isNumber) else { return false }
        let (month, day) = (Int(word.dropFirst(4).prefix(2)) ?? 0, Int(word.dropFirst(6).prefix(2)) ?? 0)
        let isDate = word.count == 14 && word.hasPrefix("20") && (1...12).contains(month) && (1...31).contains(day)
        return !isDate
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
