public import ReceiptTypes

/// How late it has certainly been, so that a clock set back lengthens nothing.
public struct ClockMarks: Sendable, Hashable {
    /// The latest time that the device's clock has shown.
    public var device: Timestamp?
    /// The latest time at which the store has signed something that was verified.
    public var signed: Timestamp?

    /// Takes both marks; without arguments, nothing was seen yet.
    public init(device: Timestamp? = nil, signed: Timestamp? = nil) {
        self.device = device
        self.signed = signed
    }
}
