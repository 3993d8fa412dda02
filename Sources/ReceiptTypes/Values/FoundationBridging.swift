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

    /// Creates an instant from a Foundation date, to the nearest millisecond; nil outside the years 0 to 9999.
    public init?(_ date: Date) {
        // Rounded to the nearest, because a date counts binary fractions of seconds and can be slightly below the
        // millisecond.
        self.init(decimalMilliseconds: (date.timeIntervalSince1970 * 1000).rounded())
    }
}

extension UUIDText {
    /// The text as a Foundation UUID; nil if it is not one.
    public var uuid: UUID? {
        isUUID ? UUID(uuidString: rawValue) : nil
    }

    /// Creates the text of a UUID in lower case, as the App Store writes it.
    public init(_ uuid: UUID) {
        self.init(uuid.uuidString.lowercased())
    }
}
