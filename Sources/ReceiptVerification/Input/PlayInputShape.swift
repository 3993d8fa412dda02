internal import ReceiptTypes

/// The JSON member names under which clients and libraries send a Google Play purchase and its signature.
enum PlayInputShape {
    /// The two parts of a purchase.
    enum Part {
        case data
        case signature
    }

    private static let dataNames = [
        "data", "originalJson", "purchaseData", "INAPP_PURCHASE_DATA", "dataAndroid", "receipt", "signedData", "json",
    ]
    /// The names of signatures, and the name that belongs to each and takes precedence among those of the data.
    private static let signatureNames = [
        ("signature", "data"), ("INAPP_DATA_SIGNATURE", "INAPP_PURCHASE_DATA"), ("signatureAndroid", "dataAndroid"),
        ("dataSignature", "purchaseData"),
    ]
    private static let parts = Dictionary(
        (dataNames.map { ([UInt8]($0.utf8), Part.data) } + signatureNames.map { ([UInt8]($0.0.utf8), Part.signature) }),
        uniquingKeysWith: { first, _ in first })

    /// Returns the part of a purchase that a member has under a name; nil if the name is another one.
    static func part(named name: [UInt8]) -> Part? { parts[name] }

    /// Returns the purchases in an object, one for each signature.
    ///
    /// The names of the members decide which data belongs to which signature; without known names, their order does. A
    /// public key in the object is ignored: a forger could send a key that matches the forged signature. A string that
    /// is a receipt of another format is not the data of a purchase.
    ///
    /// - Parameter trials: Decides between several signatures without known names; nil if no key is known.
    static func purchases(in object: JSONObject, _ trials: SignatureTrials? = nil) -> [ReceiptInput] {
        var purchases: [ReceiptInput] = []
        for (signatureName, dataName) in signatureNames {
            guard let signature = object[signatureName]?.text, let data = data(preferring: dataName, in: object)
            else { continue }
            add(data, signature, to: &purchases)
        }
        guard purchases.isEmpty else { return purchases }
        // A purchase whose members are beside its signature is decoded: other data does not stand for it.
        return isPurchase(object) ? [] : self.purchases(among: object.members.lazy.map(\.value), trials)
    }

    /// Returns the purchases whose parts are recognized by their values among the members or elements of JSON, and the
    /// data that have no signature beside them.
    ///
    /// A list of parts of one kind stands for its elements; one with both has purchases of its own.
    static func purchases(
        among values: some Sequence<JSONValue>, _ trials: SignatureTrials? = nil
    ) -> [ReceiptInput] {
        var parts: [(part: Part, value: [UInt8])] = []
        var known: Set<String> = []
        for value in values {
            let texts = value.elements?.compactMap(\.text) ?? value.text.map { [$0] } ?? []
            let found = texts.compactMap { text in PlayValue.part(of: text.utf8).map { (part: $0, text: text) } }
            guard Set(found.map(\.part)).count == 1 else { continue }
            for (part, text) in found where known.insert(text).inserted { parts.append((part, [UInt8](text.utf8))) }
        }
        let found = PlayPairs(parts) { trials?.isValid($0, over: $1) ?? false }
        return found.pairs.map { .play(data: $0.data, signature: $0.signature) }
            + withoutCopies(found.unpaired, of: found.pairs.map(\.data)).map { .unrecognized($0) }
    }

    /// Returns the data that are no other text of purchases, such as a log prints beside the signed one.
    static func withoutCopies(_ data: [[UInt8]], of purchases: [[UInt8]]) -> [[UInt8]] {
        guard !data.isEmpty else { return [] }
        let tokens = Set(purchases.compactMap(PlayValue.token))
        return data.filter { PlayValue.token(in: $0).map { !tokens.contains($0) } ?? true }
    }

    private static func add(_ data: String, _ signature: String, to purchases: inout [ReceiptInput]) {
        // Empty members are in the place of a purchase, and are none.
        guard !(data + signature).utf8.allSatisfy(\.isWhiteSpace) else { return }
        let purchase = ReceiptInput.play(data: [UInt8](data.utf8), signature: [UInt8](signature.utf8))
        // The same purchase under the names of two libraries is one receipt.
        if !purchases.contains(purchase) { purchases.append(purchase) }
    }

    /// Returns whether an object has the data of a purchase as an object, from which the signed text cannot be made
    /// again.
    static func isDecoded(in object: JSONObject) -> Bool {
        hasSignature(object) && object.members.contains { $0.value.object.map(isPurchase) ?? false }
    }

    /// Returns whether an object has the members of a purchase and its signature, so that the signed text is missing.
    static func isFlattened(_ object: JSONObject) -> Bool { isPurchase(object) && hasSignature(object) }

    private static func hasSignature(_ object: JSONObject) -> Bool {
        object.members.contains { member in
            guard let text = member.value.text, !text.isEmpty else { return false }
            return signatureNames.contains { $0.0 == member.name } || PlayValue.isSignature(text.utf8)
        }
    }

    /// Returns whether an object has the data of a purchase in a member.
    static func hasData(_ object: JSONObject) -> Bool {
        object.members.contains { $0.value.text.map { PlayValue.isData($0.utf8) } ?? false }
    }

    /// Returns whether an object has a signature, and null in place of the data.
    static func lacksData(_ object: JSONObject) -> Bool {
        object.members.contains { $0.value.text.map { PlayValue.isSignature($0.utf8) } ?? false }
            && dataNames.contains { if case .null? = object[$0] { true } else { false } }
    }

    /// Returns whether an object is what Google Play signs.
    static func isPurchase(_ object: JSONObject) -> Bool {
        object["packageName"] != nil && object["purchaseTime"] != nil
            && (object["purchaseToken"] != nil || object["token"] != nil)
    }

    /// Returns the data under a preferred name, or under another one; what looks like the data of a purchase first.
    private static func data(preferring name: String, in object: JSONObject) -> String? {
        var other: String?
        for name in [name] + dataNames {
            guard let text = object[name]?.text, InputDetector.receipts(inString: text).isEmpty else { continue }
            if PlayValue.isData(text.utf8) { return text }
            if other == nil { other = text }
        }
        // Unknown names are read only if no known one has the data.
        guard !isPurchase(object) else { return other }
        return object.members.lazy.compactMap(\.value.text).first { PlayValue.isData($0.utf8) } ?? other
    }
}
