/// The fields of a payload model, searchable by name.
public final class Schema: Sendable {
    /// The fields in the order of their declaration.
    public let fields: [SchemaField]
    /// An open-addressing hash table of indices into `fields`, -1 in an empty slot; a collision continues at the next
    /// slot.
    private let slots: [Int]

    /// Creates a schema from the stored properties of a model's `Fields`, so each field is written down only once.
    public init(reflecting fields: some Sendable) {
        self.fields = Mirror(reflecting: fields).children.compactMap { ($0.value as? any AnyField)?.entry }
        // A power of two, at most half full, so the search for an unknown name soon reaches an empty slot.
        var count = 8
        while count < self.fields.count * 2 { count *= 2 }
        var slots = [Int](repeating: -1, count: count)
        for (number, field) in self.fields.enumerated() {
            var slot = unsafe Self.hash(field.utf8Name.span.bytes) & (count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (count - 1) }
            slots[slot] = number
        }
        self.slots = slots
    }

    /// The field with a name, compared byte by byte.
    public subscript(name: String) -> SchemaField? {
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        unsafe field(named: [UInt8](name.utf8).span.bytes)
    }

    /// Returns the field whose name has these UTF-8 bytes.
    @usableFromInline
    package func field(named name: RawSpan) -> SchemaField? {
        var slot = Self.hash(name) & (slots.count - 1)
        while slots[slot] >= 0 {
            let field = fields[slots[slot]]
            let isFound = unsafe field.utf8Name.span.bytes.withUnsafeBytes { left in
                unsafe name.withUnsafeBytes { right in unsafe left.isIdentical(to: right) }
            }
            if isFound { return field }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Returns the FNV-1a hash of a name.
    ///
    /// It needs no seed: the hash table contains only our own names, so an attacker cannot cause collisions in it.
    private static func hash(_ name: RawSpan) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for offset in 0..<name.byteCount {
            // Checked: the load traps out of bounds, and every bit pattern is a UInt8.
            hash = (hash ^ UInt64(unsafe name.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) &* 0x100_0000_01b3
        }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0xffff)
    }
}

/// One field of a ``Schema``.
public struct SchemaField: Sendable {
    /// The name of the JSON member.
    public let name: String
    /// The JSON types that the field accepts.
    public let shape: FieldShape

    /// Whether the value is an amount of money in milliunits.
    package let isMoney: Bool
    let utf8Name: [UInt8]
    private let display: @Sendable (JSONValue) -> String?

    init(name: String, shape: FieldShape, isMoney: Bool, display: @escaping @Sendable (JSONValue) -> String?) {
        self.name = name
        self.isMoney = isMoney
        utf8Name = [UInt8](name.utf8)
        self.shape = shape
        self.display = display
    }

    /// Returns a value as text for a person: a date in RFC 3339, money as a decimal; a value of the wrong type as JSON.
    public func displayText(of value: JSONValue) -> String {
        display(value) ?? value.displayText
    }
}

/// A ``Field`` of any type, for ``Schema/init(reflecting:)``.
protocol AnyField {
    var entry: SchemaField { get }
}

extension Field: AnyField {
    var entry: SchemaField {
        SchemaField(
            name: name, shape: Value.shape, isMoney: Value.self == Milliunits.self,
            display: { Value(json: $0)?.displayText })
    }
}
