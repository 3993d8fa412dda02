internal import ReceiptTypes
internal import ReceiptVerification

/// One file of vectors, as far as every group has it in common.
struct VectorFile {
    var name: String
    var declaredCount: Int64
    var groups: [JSONObject]

    /// Nil unless the text is a vector file of the schema that is understood here.
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
