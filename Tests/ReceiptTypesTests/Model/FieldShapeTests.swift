import ReceiptTypes
import Testing

/// Which types of JSON values each shape takes.
@Suite("Shapes of fields")
struct FieldShapeTests {
    static let kinds: [JSONKind] = [
        .boolean, .integer(0), .integer(.max), .decimal(1.5), .decimal(.nan), .string, .array, .object,
    ]

    @Test(
        "a shape takes exactly its own types",
        arguments: [
            (FieldShape.string, [JSONKind.string]),
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
            // Not a number equals nothing, so it is in no list, and no shape takes it.
            #expect(shape.accepts(kind) == accepted.contains(kind), "\(shape.name) and \(kind.detail)")
        }
    }

    @Test("null counts as an absent field for every shape")
    func null() {
        let shapes: [FieldShape] = [
            .string, .integer32, .integer64, .boolean, .milliseconds, .list(.string), .object(AppData.schema),
        ]
        #expect(shapes.allSatisfy { $0.accepts(.null) })
    }

    @Test("an integer of 32 bits ends where its type does")
    func integer32() {
        #expect(FieldShape.integer32.accepts(.integer(2_147_483_647)))
        #expect(FieldShape.integer32.accepts(.integer(-2_147_483_648)))
        #expect(!FieldShape.integer32.accepts(.integer(2_147_483_648)))
        #expect(!FieldShape.integer32.accepts(.integer(-2_147_483_649)))
    }

    @Test("milliseconds end with the years 0 and 9999")
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
