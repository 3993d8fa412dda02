package import ReceiptTypes

/// A column of results that is not taken from the payload alone.
enum ResultColumn: String, CaseIterable, Sendable {
    case source, line, record, item
    case verdict, code, kind
    case bundleId, productId, transactionId, originalTransactionId, environment, signedDate
    case step, expected, actual
    case revocationDate, revoked
    case anchorSubject, anchorSha256, anchorBuiltIn, leafSerialNumber, leafSha256
    case unverifiedBundleId, unverifiedProductId, unverifiedTransactionId, unverifiedOriginalTransactionId
    case day, month, refundedInPart, message, hint, leafSubject, signerNotBefore, signerNotAfter

    /// The columns that only a choice of fields contains: they follow from others, or are the same in many results.
    static let further: [ResultColumn] = [
        .day, .month, .refundedInPart, .message, .hint, .leafSubject, .signerNotBefore, .signerNotAfter,
    ]

    /// The columns that are the same in all results of one signer.
    static let ofSigner: Set<ResultColumn> = [
        .anchorSubject, .anchorSha256, .anchorBuiltIn, .leafSerialNumber, .leafSha256, .leafSubject,
        .signerNotBefore, .signerNotAfter,
    ]
}

/// A field that results can contain: a column, or a value of the payload.
struct ResultField: Sendable {
    /// The payload in which a value is searched.
    enum Root: Sendable, Hashable {
        /// The payload of the receipt.
        case receipt
        /// The payload of the receipt, or of the transaction inside a notification.
        case purchase
        /// The payload of a receipt of this kind: the receipt, or the one inside a notification.
        case part(ReceiptKind)
    }

    enum Place: Sendable {
        case column(ResultColumn)
        case payload(Root, FieldPath, PayloadForm)
    }

    let name: String
    /// The name as a JSON string, with a comma before it and a colon after it.
    let key: [UInt8]
    let place: Place

    private init(name: String, place: Place) {
        self.name = name
        self.place = place
        var key = [UInt8(ascii: ",")]
        JSONText.append(name, to: &key)
        self.key = key + [UInt8(ascii: ":")]
    }

    /// Whether the value is the same in all results of one signer.
    var isOfSigner: Bool {
        if case .column(let column) = place { ResultColumn.ofSigner.contains(column) } else { false }
    }

    /// Creates the field with a name; nil if there is none.
    init?(named name: String) {
        if let column = ResultColumn(rawValue: name) {
            self.init(name: name, place: .column(column))
        } else if let form = Self.purchaseFields.first(where: { $0.name.description == name })?.form {
            self.init(name: name, place: .payload(.purchase, FieldPath(name), form))
        } else if let form = ReceiptKind.allCases.lazy.compactMap({ $0.schema.form(of: name) }).first {
            self.init(name: name, place: .payload(.receipt, FieldPath(name), form))
        } else if let (part, rest) = FieldPath(name).split, let place = Self.place(of: rest, in: part) {
            self.init(name: name, place: place)
        } else {
            return nil
        }
    }

    private static func place(of path: FieldPath, in part: String) -> Place? {
        guard !path.steps.isEmpty, !path.steps.contains(.elements) else { return nil }
        // Members that this version does not know can be chosen too.
        if part == payloadPart { return .payload(.receipt, path, .signed) }
        guard let kind = parts.first(where: { $0.rawValue == part }) else { return nil }
        let name = path.steps.compactMap { if case .member(let name) = $0 { name } else { nil } }.joined(separator: ".")
        return kind.schema.form(of: name).map { .payload(.part(kind), path, $0) }
    }

    /// The values of purchases that standard results have, in their order.
    static let purchaseFields: [(name: StaticString, form: PayloadForm)] = [
        ("revocationReason", .signed), ("notificationType", .signed), ("subtype", .signed),
        ("notificationUUID", .signed), ("expiresDate", .time), ("price", .money), ("currency", .signed),
        ("storefront", .signed),
    ]
    /// The kinds of receipts that a notification contains.
    static let parts: [ReceiptKind] = [.transaction, .renewalInfo, .appTransaction]
    /// The first step of a path to any member of the receipt's payload.
    static let payloadPart = "payload"
}

extension Schema {
    /// The most nested models, far more than any payload has.
    private static let maximumDepth = 8

    /// The names of the fields, and of those of nested models with dots between them.
    func paths(depth: Int = 0) -> [String] {
        guard depth < Self.maximumDepth else { return [] }
        return fields.flatMap { field in
            guard case .object(let schema) = field.shape else { return [field.name] }
            return [field.name] + schema.paths(depth: depth + 1).map { "\(field.name).\($0)" }
        }
    }

    /// Returns the form of the field at a path; nil if there is none.
    func form(of path: String) -> PayloadForm? {
        field(at: path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)).map(PayloadForm.init)
    }

    /// Returns the field with the last of some names, in the models that the others lead to; nil if there is none.
    package func field(at names: [String]) -> SchemaField? {
        var schema = self
        for name in names.dropLast() {
            guard case .object(let inner)? = schema[name]?.shape else { return nil }
            schema = inner
        }
        return names.last.flatMap { schema[$0] }
    }
}
