/// How far a batch has come in its sources.
public struct BatchPosition: Sendable, Hashable {
    /// The number of the source, counted from 0.
    public var source = 0
    /// The bytes of that source that have been judged.
    public var offset = 0
    /// The lines of that source that have been judged.
    public var lines = 0

    /// The beginning.
    public init() {}

    /// A place that an earlier run has reached.
    public init(source: Int, offset: Int, lines: Int) {
        self.source = source
        self.offset = offset
        self.lines = lines
    }
}
