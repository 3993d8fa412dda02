import Testing

/// Keeps the folders of each target in one direction.
@Suite("Direction of the folders")
struct DirectionTests {
    @Test("no file uses what a higher folder of its target declares", arguments: TargetLayers.table.keys.sorted())
    func direction(_ target: String) throws {
        let layers = try #require(TargetLayers.table[target])
        let folder = "Sources/\(target)"
        let files = try PackageFiles.files(in: folder, ending: [".swift"]).map {
            (String($0.path.dropFirst(folder.count + 1)), $0.text)
        }
        let checker = DirectionChecker(layers: layers, files: files)
        #expect(checker.unknownFolders.isEmpty)
        for use in checker.upwardUses() { Issue.record("\(target)/\(use)") }
    }

    @Test("an upward use is found, be it of a type, of a function or of a member that an extension adds")
    func selfCheck() {
        let files = [
            ("Low/Base.swift", "struct Base { let text = \"High \\(Top.name)\" } // Comment"),
            ("Low/Other.swift", "func use(_ base: Base) { base.climb(); lift() }"),
            ("High/Top.swift", "enum Top { static let name = 1 }\nextension Base { func climb() {} }\nfunc lift() {}"),
            ("High/Good.swift", "let good = Base()"),
            ("Low/Qualified.swift", "let name = OtherModule.Top()"),
        ]
        let checker = DirectionChecker(layers: ["Low", "High"], files: files)
        #expect(checker.upwardUses().map(\.name).sorted() == ["Top", "climb", "lift"])
        #expect(checker.unknownFolders.isEmpty)
        #expect(DirectionChecker(layers: ["High", "Low"], files: files).upwardUses().map(\.name) == ["Base", "Base"])
        #expect(DirectionChecker(layers: ["Low"], files: files).unknownFolders == ["High"])
    }
}
