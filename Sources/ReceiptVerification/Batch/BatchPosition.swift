/// A position in the sources of a batch, after which a later run can continue.
public struct BatchPosition: Sendable, Hashable {
    /// The index of the source.
    public var source = 0
    /// The number of bytes of that source that have been verified.
    public var offset = 0
    /// The number of lines of that source that have been verified.
    public var lines = 0

    /// Creates the position before the first source.
    public init() {}

    /// Creates a position that an earlier run has reached.
    public init(source: Int, offset: Int, lines: Int) {
        self.source = source
        self.offset = offset
        self.lines = lines
    }
}
