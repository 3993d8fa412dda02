extension Timestamp: Codable {
    /// Reads milliseconds since 1970.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let instant = Timestamp(milliseconds: try container.decode(Int64.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not within the years 0 to 9999")
        }
        self = instant
    }

    /// Writes milliseconds since 1970.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(millisecondsSince1970)
    }
}
