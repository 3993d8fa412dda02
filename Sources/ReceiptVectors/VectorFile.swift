internal import ReceiptTypes
internal import ReceiptVerification

/// A vector file: the members that all types of groups have in common.
struct VectorFile {
    var name: String
    var declaredCount: Int64
    var groups: [JSONObject]

    /// Parses a vector file; nil unless the text has the schema `receipt-vectors-1`.
    init?(name: String, text: [UInt8]) {
        guard let object = (try? JSONDocument.value(of: text))?.object,
            object["schema"]?.text == "receipt-vectors-1",
            let count = object["numberOfTests"]?.integer,
            let groups = object["groups"]?.elements
        else { return nil }
        self.name = name
        declaredCount = count
        self.groups = groups.compactMap(\.object)
        guard self.groups.count == groups.count else { return nil }
    }
}
