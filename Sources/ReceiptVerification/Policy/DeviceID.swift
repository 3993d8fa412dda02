/// The identifier of a device to which an app receipt is bound.
///
/// On iOS, it is the app's `identifierForVendor`; on macOS, the MAC address of the primary network interface.
public struct DeviceID: Sendable, Hashable {
    /// The 16 bytes of a UUID, or the 6 bytes of a MAC address.
    public let bytes: [UInt8]

    /// The UUID of which all bytes are 0, to which the receipts that a server fetches are bound.
    static let zero = DeviceID(unchecked: [UInt8](repeating: 0, count: 16))

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Creates an identifier from its bytes; nil unless there are 16 or 6.
    public init?(bytes: [UInt8]) {
        guard [16, 6].contains(bytes.count) else { return nil }
        self.bytes = bytes
    }

    /// Reads a UUID such as `8F3B1D0A-52C7-4E0B-9A41-6D2E7C9F0B13`, or a MAC address such as `3c:22:fb:0a:91:5e`; nil
    /// for any other text.
    public init?(_ text: String) {
        let groups = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == ":" }.map(\.utf8.count)
        let hasHyphens = text.contains("-")
        guard !(hasHyphens && text.contains(":")),
            hasHyphens && groups == [8, 4, 4, 4, 12] || groups == [2, 2, 2, 2, 2, 2],
            let bytes = Hexadecimal.decode(text.filter { $0 != "-" && $0 != ":" })
        else { return nil }
        self.bytes = bytes
    }
}
