/// One thing that is fuzzed: what it does with an input, and the inputs to begin with.
///
/// A target stops the process when something comes out that must not; whatever it throws counts as such. Made once a
/// process, it may keep what is costly to make, as long as every input gives the same outcome whatever came before it.
protocol FuzzTarget: AnyObject {
    /// The name on the command line, and of the folder with the inputs to begin with.
    static var name: String { get }
    /// What it looks at, in a few words.
    static var summary: String { get }
    /// No input is longer; enough for whatever the code under test distinguishes.
    static var maximumLength: Int { get }

    init() throws

    /// Inputs to begin with, by names for their files. They are kept in `TestVectors/fuzz`.
    var seeds: [(name: String, bytes: [UInt8])] { get }

    func run(_ input: [UInt8]) throws
}
