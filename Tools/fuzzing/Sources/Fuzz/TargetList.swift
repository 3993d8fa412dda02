/// All targets, in the order in which `Tools/fuzz all` runs them.
enum TargetList {
    static var all: [any FuzzTarget.Type] {
        [
            JWSTarget.self, SignedJWSTarget.self, JSONTarget.self, Base64Target.self, PlayTarget.self, InputTarget.self,
            ChainTarget.self, KeyCacheTarget.self,
            BatchTarget.self, SignaturesTarget.self, StoreFileTarget.self, StoreEngineTarget.self,
        ]
    }
}
