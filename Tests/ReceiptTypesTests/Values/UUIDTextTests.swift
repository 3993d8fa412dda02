import ReceiptTypes
import Testing

/// Texts that should be UUIDs.
@Suite("UUID texts")
struct UUIDTextTests {
    @Test(
        "a UUID is recognized in any case",
        arguments: [
            "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d", "00000000-0000-0000-0000-000000000000",
            "ABCDEFab-cdef-0123-4567-89abcdefABCD",
        ]
    )
    func recognized(text: String) {
        #expect(UUIDText(text).isUUID)
    }

    @Test(
        "[CARD-4] what is no UUID is kept as text",
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

    @Test("only a string is such a text")
    func json() {
        #expect(UUIDText(json: .integer(1)) == nil)
        #expect(UUIDText(json: .null) == nil)
    }
}
