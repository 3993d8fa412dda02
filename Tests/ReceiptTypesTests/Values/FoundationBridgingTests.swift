import Foundation
import ReceiptTypes
import Testing

/// Tests the conversions to Foundation's types and back.
@Suite("Foundation bridging")
struct FoundationBridgingTests {
    @Test(
        "a timestamp survives the conversion to a date and back",
        arguments: [0, 1, -1, 1_759_302_518_835, -62_135_769_600_000, -62_167_219_200_000, 253_402_300_799_999]
            as [Int64]
    )
    func dates(milliseconds: Int64) throws {
        let instant = try #require(Timestamp(milliseconds: milliseconds))
        #expect(Timestamp(instant.date) == instant)
        #expect(abs(instant.date.timeIntervalSince1970 - Double(milliseconds) / 1000) < 0.001)
    }

    @Test("a date outside the years 0 to 9999 has no timestamp")
    func farDates() {
        #expect(Timestamp(Date.distantFuture) != nil)
        #expect(Timestamp(Date(timeIntervalSince1970: 1e15)) == nil)
        #expect(Timestamp(Date(timeIntervalSince1970: -1e15)) == nil)
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == nil)
        #expect(Timestamp(Date(timeIntervalSince1970: .nan)) == nil)
    }

    @Test("a UUID is written in lower case and read in any letter case")
    func identifiers() throws {
        let uuid = try #require(UUID(uuidString: "7E3FB204-2A51-4B54-8E51-3B0E5A0B1C2D"))
        #expect(UUIDText(uuid).rawValue == "7e3fb204-2a51-4b54-8e51-3b0e5a0b1c2d")
        #expect(UUIDText(uuid).uuid == uuid)
        #expect(UUIDText("7E3FB204-2A51-4B54-8E51-3B0E5A0B1C2D").uuid == uuid)
        #expect(UUIDText("user-4711").uuid == nil)
    }
}
