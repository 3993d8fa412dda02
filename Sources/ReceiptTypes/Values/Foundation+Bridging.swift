#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension Timestamp {
    /// The instant as a Foundation date.
    public var date: Date {
        Date(timeIntervalSince1970: Double(millisecondsSince1970) / 1000)
    }

    /// Makes an instant from a Foundation date, to the nearest millisecond; nil outside the years 0 to 9999.
    public init?(_ date: Date) {
        // The nearest one, because a date counts binary fractions of seconds and may lie just below what was meant.
        self.init(decimalMilliseconds: (date.timeIntervalSince1970 * 1000).rounded())
    }
}

extension UUIDText {
    /// The UUID; nil where the text is none.
    public var uuid: UUID? {
        isUUID ? UUID(uuidString: rawValue) : nil
    }

    /// Writes a UUID in lower case, as the App Store does.
    public init(_ uuid: UUID) {
        self.init(uuid.uuidString.lowercased())
    }
}
