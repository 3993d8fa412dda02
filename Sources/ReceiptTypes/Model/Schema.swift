/// The fields of a payload model.
public final class Schema: Sendable {
    /// The fields in the order in which the model declares them.
    public let fields: [SchemaField]
    /// Places of fields by the hash of their names, -1 where there is none; a taken place sends on to the next one.
    private let places: [Int]

    /// Collects the fields from the stored properties of a model's `Fields`, so that they are written down once.
    public init(reflecting fields: some Sendable) {
        self.fields = Mirror(reflecting: fields).children.compactMap { ($0.value as? any AnyField)?.entry }
        // A power of two, at most half full, so that a name that is no field's meets an empty place soon.
        var count = 8
        while count < self.fields.count * 2 { count *= 2 }
        var places = [Int](repeating: -1, count: count)
        for (number, field) in self.fields.enumerated() {
            var place = unsafe Self.hash(field.utf8Name.span.bytes) & (count - 1)
            while places[place] >= 0 { place = (place + 1) & (count - 1) }
            places[place] = number
        }
        self.places = places
    }

    /// The field of that name, compared byte by byte.
    public subscript(name: String) -> SchemaField? {
        // Safe: a span of UInt8 has no padding, and the bytes are initialised.
        unsafe field(named: [UInt8](name.utf8).span.bytes)
    }

    /// The field whose name is these bytes.
    @usableFromInline
    package func field(named name: RawSpan) -> SchemaField? {
        var place = Self.hash(name) & (places.count - 1)
        while places[place] >= 0 {
            let field = fields[places[place]]
            let isFound = unsafe field.utf8Name.span.bytes.withUnsafeBytes { left in
                unsafe name.withUnsafeBytes { right in unsafe left.isIdentical(to: right) }
            }
            if isFound { return field }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// A hash that is only good enough for names we have chosen; whoever chooses others finds no field by them.
    private static func hash(_ name: RawSpan) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for offset in 0..<name.byteCount {
            // Checked: the load traps out of bounds, and every bit pattern is a UInt8.
            hash = (hash ^ UInt64(unsafe name.unsafeLoad(fromByteOffset: offset, as: UInt8.self))) &* 0x100_0000_01b3
        }
        return Int(truncatingIfNeeded: (hash ^ hash >> 32) & 0xffff)
    }
}
