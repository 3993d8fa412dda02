extension Timestamp: CustomStringConvertible {
    /// The instant in UTC in RFC 3339 format, with milliseconds unless they are 0: `2025-10-01T07:08:38.835Z`.
    public var description: String {
        var text: [UInt8] = []
        append(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the UTF-8 bytes of ``description`` without creating a string.
    public func append(to output: inout [UInt8]) {
        appendSeconds(separator: "T", to: &output)
        let fraction = millisecondsSince1970.quotientAndRemainderFloored(dividingBy: 1000).remainder
        if fraction != 0 {
            output.append(UInt8(ascii: "."))
            Self.append(digit: fraction / 100, to: &output)
            Self.append(twoDigits: fraction, to: &output)
        }
        output.append(UInt8(ascii: "Z"))
    }

    /// Appends the date and the time of day in UTC, without milliseconds and zone: `2025-10-01 07:08:38`.
    func appendSeconds(separator: Unicode.Scalar, to output: inout [UInt8]) {
        let (day, time) = millisecondsSince1970.quotientAndRemainderFloored(dividingBy: 86_400_000)
        let date = CivilDate(daysSince1970: day)
        Self.append(twoDigits: date.year / 100, to: &output)
        Self.append(twoDigits: date.year, to: &output)
        output.append(UInt8(ascii: "-"))
        Self.append(twoDigits: date.month, to: &output)
        output.append(UInt8(ascii: "-"))
        Self.append(twoDigits: date.day, to: &output)
        output.append(UInt8(ascii: separator))
        Self.append(twoDigits: time / 3_600_000, to: &output)
        output.append(UInt8(ascii: ":"))
        Self.append(twoDigits: time / 60_000 % 60, to: &output)
        output.append(UInt8(ascii: ":"))
        Self.append(twoDigits: time / 1000 % 60, to: &output)
    }

    /// Appends the last two digits of a number.
    private static func append(twoDigits number: Int64, to output: inout [UInt8]) {
        append(digit: number / 10, to: &output)
        append(digit: number, to: &output)
    }

    /// Appends the last digit of a number.
    private static func append(digit number: Int64, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }

    /// Parses RFC 3339, such as `2025-10-01T07:08:38Z` or `2025-10-01T09:08:38.835+02:00`; nil for anything else.
    ///
    /// Digits after the milliseconds are ignored. Leap seconds are rejected, because no store sends them.
    public init?(rfc3339 text: String) {
        let bytes = Array(text.utf8)
        // Safe: a Span of UInt8 has no padding, and its bytes are initialised.
        self.init(rfc3339: unsafe bytes.span.bytes)
    }

    /// Parses the UTF-8 bytes of ``init(rfc3339:)``.
    ///
    /// - Parameter allowsBasicOffset: Whether the offset from UTC may lack its colon, as in ISO 8601.
    package init?(rfc3339 text: RawSpan, allowsBasicOffset: Bool = false) {
        var reader = DigitReader(text)
        guard let year = reader.number(digits: 4), reader.skip("-"),
            let month = reader.number(digits: 2), reader.skip("-"),
            let day = reader.number(digits: 2), reader.skip("T") || reader.skip("t"),
            let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
            let second = reader.number(digits: 2), second < 60,
            let date = CivilDate(year: year, month: month, day: day),
            let fraction = reader.milliseconds(),
            let offset = reader.offsetMinutes(allowsBasicOffset), reader.isAtEnd
        else { return nil }
        let minutes = date.daysSince1970 * 1440 + hour * 60 + minute - offset
        self.init(milliseconds: (minutes * 60 + second) * 1000 + fraction)
    }
}

/// A reader of numbers with a fixed count of digits.
private struct DigitReader: ~Escapable {
    private let text: RawSpan
    private var offset = 0

    @_lifetime(copy text)
    init(_ text: RawSpan) {
        self.text = text
    }

    var isAtEnd: Bool { offset == text.byteCount }

    private var next: UInt8? {
        isAtEnd ? nil : unsafe text.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        offset += 1
        return true
    }

    mutating func digit() -> Int64? {
        guard let next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else { return nil }
        offset += 1
        return Int64(next - UInt8(ascii: "0"))
    }

    mutating func number(digits: Int) -> Int64? {
        var number: Int64 = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    /// Reads a decimal point and the fraction of a second, in milliseconds; 0 without a decimal point.
    mutating func milliseconds() -> Int64? {
        guard skip(".") else { return 0 }
        guard let first = digit() else { return nil }
        var fraction = first * 100
        var scale: Int64 = 10
        while let digit = digit() {
            fraction += digit * scale
            scale /= 10
        }
        return fraction
    }

    /// Reads `Z` or an offset from UTC such as `+02:00`, in minutes.
    ///
    /// - Parameter allowsBasic: Whether the colon may be missing.
    mutating func offsetMinutes(_ allowsBasic: Bool) -> Int64? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = skip("-")
        guard isNegative || skip("+"), let hours = number(digits: 2), hours < 24, skip(":") || allowsBasic,
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (isNegative ? -1 : 1)
    }
}
