import Foundation
import ReceiptTypes
import Testing

/// Tests the `Codable` conformances of the values.
@Suite("Codable values")
struct CodableTests {
    private struct Values: Codable, Equatable {
        var instant: Timestamp
        var price: Milliunits
        var token: UUIDText
        var type: ProductType
        var offer: OfferType
    }

    private let values = Values(
        instant: .maximum, price: Milliunits(.min), token: UUIDText("no UUID"),
        type: ProductType(rawValue: "Unheard Of"),
        offer: .winBack)

    @Test("values survive encoding and decoding, and so do unknown values of enumerations")
    func roundTrip() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(values)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"instant":253402300799999,"offer":4,"price":-9223372036854775808,"token":"no UUID","#
                + #""type":"Unheard Of"}"#)
        #expect(try JSONDecoder().decode(Values.self, from: data) == values)
    }

    @Test(
        "a timestamp is not decoded from an invalid number, a string or null",
        arguments: ["253402300800000", "-62167219200001", "1e300", "\"1\"", "null"]
    )
    func invalid(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Timestamp.self, from: Data(text.utf8)) }
    }
}
