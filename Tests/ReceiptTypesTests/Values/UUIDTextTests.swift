import ReceiptTypes
import Testing

/// Tests texts that should be UUIDs.
@Suite("UUID texts")
struct UUIDTextTests {
    @Test(
        "a UUID is recognized in any letter case",
        arguments: [
            "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d", "00000000-0000-0000-0000-000000000000",
            "ABCDEFab-cdef-0123-4567-89abcdefABCD",
        ]
    )
    func recognized(text: String) {
        #expect(UUIDText(text).isUUID)
    }

    @Test(
        "a text that is not a UUID is kept unchanged",
        arguments: [
            "", "-", "----", "user-4711", "7e3fb2042a514b548e513b0e5a0b1c2d", "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2",
            "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d0", "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2g",
            "{7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d}", "7e3fb2042-a51-4b54-8e51-3b0e5a0b1c2d",
            "７e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d", "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d\n",
        ]
    )
    func kept(text: String) {
        #expect(!UUIDText(text).isUUID)
        #expect(UUIDText(json: .string(text))?.rawValue == text)
        #expect(UUIDText(text).json == .string(text))
        #expect(UUIDText(text).description == text)
    }

    @Test("a UUID text is created from a JSON string only")
    func json() {
        #expect(UUIDText(json: .integer(1)) == nil)
        #expect(UUIDText(json: .null) == nil)
    }
}
