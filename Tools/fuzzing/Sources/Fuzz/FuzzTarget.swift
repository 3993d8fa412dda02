/// A fuzz target: a property of the code under test that every input is checked for, and the seeds to start with.
///
/// A target reports a finding for a wrong result; an error that it throws is a finding too. There is one instance per
/// process. It may keep what is costly to create, as long as the result for an input does not depend on earlier inputs.
protocol FuzzTarget: AnyObject {
    /// The name on the command line, and of the folder with the seeds.
    static var name: String { get }
    /// What the target tests, in a few words.
    static var summary: String { get }
    /// The maximum length of an input, enough to reach every branch of the code under test.
    static var maximumLength: Int { get }

    init() throws

    /// The inputs to start with, by their file names in `TestVectors/fuzz`.
    var seeds: [(name: String, bytes: [UInt8])] { get }

    func run(_ input: [UInt8]) throws
}

/// All targets, in the order in which `Tools/fuzz all` runs them.
enum TargetList {
    static var all: [any FuzzTarget.Type] {
        [
            JWSTarget.self, SignedJWSTarget.self, JSONTarget.self, Base64Target.self, PlayTarget.self, InputTarget.self,
            ContainerTarget.self, AttributesTarget.self, ResponseTarget.self,
            ChainTarget.self, KeyCacheTarget.self, BatchTarget.self, CheckpointTarget.self, SignaturesTarget.self,
            StoreFileTarget.self,
            StoreEngineTarget.self,
        ]
    }
}
