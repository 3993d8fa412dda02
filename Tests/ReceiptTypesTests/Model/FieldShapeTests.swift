import ReceiptTypes
import Testing

/// Tests which JSON types each shape accepts.
@Suite("Field shapes")
struct FieldShapeTests {
    static let kinds: [JSONKind] = [
        .boolean, .integer(0), .integer(.max), .decimal(1.5), .decimal(.nan), .string, .array, .object,
    ]

    @Test(
        "a shape accepts exactly its own JSON types",
        arguments: [
            (FieldShape.string, [JSONKind.string]),
            (.stringOrInteger, [.integer(0), .integer(.max), .string]),
            (.integer32, [.integer(0)]),
            (.integer64, [.integer(0), .integer(.max)]),
            (.boolean, [.boolean]),
            (.milliseconds, [.integer(0), .decimal(1.5)]),
            (.list(.string), [.array]),
            (.object(AppData.schema), [.object]),
        ]
    )
    func types(shape: FieldShape, accepted: [JSONKind]) {
        for kind in Self.kinds {
            // NaN is not equal to itself, so no list contains it, and no shape accepts it.
            #expect(shape.accepts(kind) == accepted.contains(kind), "\(shape.name) and \(kind.detail)")
        }
    }

    @Test("every shape accepts null")
    func null() {
        let shapes: [FieldShape] = [
            .string, .stringOrInteger, .integer32, .integer64, .boolean, .milliseconds, .list(.string),
            .object(AppData.schema),
        ]
        #expect(shapes.allSatisfy { $0.accepts(.null) })
    }

    @Test("the 32-bit integer shape accepts exactly the range of Int32")
    func integer32() {
        #expect(FieldShape.integer32.accepts(.integer(2_147_483_647)))
        #expect(FieldShape.integer32.accepts(.integer(-2_147_483_648)))
        #expect(!FieldShape.integer32.accepts(.integer(2_147_483_648)))
        #expect(!FieldShape.integer32.accepts(.integer(-2_147_483_649)))
    }

    @Test("the milliseconds shape accepts exactly the years 0 to 9999")
    func milliseconds() {
        #expect(FieldShape.milliseconds.accepts(.integer(-62_167_219_200_000)))
        #expect(!FieldShape.milliseconds.accepts(.integer(-62_167_219_200_001)))
        #expect(FieldShape.milliseconds.accepts(.integer(253_402_300_799_999)))
        #expect(!FieldShape.milliseconds.accepts(.integer(253_402_300_800_000)))
        #expect(!FieldShape.milliseconds.accepts(.integer(.min)))
        for decimal in [1e16, -1e16, 1e300, .infinity, -.infinity] {
            #expect(!FieldShape.milliseconds.accepts(.decimal(decimal)))
        }
    }
}
