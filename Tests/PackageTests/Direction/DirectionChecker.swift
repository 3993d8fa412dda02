/// Finds uses of a folder's declarations in the folders below it.
///
/// Names are compared as text, so a name that two folders declare is left out. Of members only those that an extension
/// adds count: a use of any other member needs its type, and the type's name is found by itself.
struct DirectionChecker {
    /// A use in one folder of what a higher one declares.
    struct UpwardUse: CustomStringConvertible {
        let path: String
        let line: Int
        let name: String
        let declaredIn: String

        var description: String { "\(path):\(line) uses \(name) of \(declaredIn)" }
    }

    private struct File {
        let path: String
        let folder: String
        let words: [SwiftWords.Word]
    }

    private static let typeKeywords: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]
    private static let memberKeywords: Set = ["func", "var", "let"]
    private static let otherKeywords: Set = ["associatedtype", "case"]

    let layers: [String]
    private var files: [File] = []

    /// - Parameter files: Paths from the target's folder, with the text of each file.
    init(layers: [String], files: [(path: String, text: String)]) {
        self.layers = layers
        self.files = files.map { file in
            let parts = file.path.split(separator: "/")
            let folder = parts.count > 1 ? String(parts[0]) : layers.last ?? ""
            return File(path: file.path, folder: folder, words: SwiftWords(file.text).words)
        }
    }

    /// Folders that no layer names.
    var unknownFolders: Set<String> { Set(files.map(\.folder)).subtracting(layers) }

    func upwardUses() -> [UpwardUse] {
        let heights = Dictionary(layers.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let homes = homes()
        let declaredAnywhere = Set(files.flatMap { Self.declaredNames(in: $0.words) })
        var uses: [UpwardUse] = []
        for file in files {
            guard let height = heights[file.folder] else { continue }
            var seen: Set<String> = []
            for (index, word) in file.words.enumerated() where word.isIdentifier {
                if let qualifier = file.words.qualifier(of: index), declaredAnywhere.contains(qualifier) == false {
                    continue
                }
                guard let home = homes[word.text], let homeHeight = heights[home], homeHeight > height,
                    seen.insert(word.text).inserted
                else { continue }
                uses.append(UpwardUse(path: file.path, line: word.line, name: word.text, declaredIn: home))
            }
        }
        return uses
    }

    /// The one folder that declares each name, be it as a type, a member or anything else.
    private func homes() -> [String: String] {
        var folders: [String: Set<String>] = [:]
        var names: Set<String> = []
        for file in files {
            names.formUnion(Self.declaredNames(in: file.words))
            for (word, next) in zip(file.words, file.words.dropFirst())
            where Self.typeKeywords.union(Self.memberKeywords).union(Self.otherKeywords).contains(word.text) {
                folders[next.text, default: []].insert(file.folder)
            }
        }
        return folders.compactMapValues { $0.count == 1 ? $0.first : nil }.filter { names.contains($0.key) }
    }

    /// The types, the free functions, and the members that extensions add.
    private static func declaredNames(in words: [SwiftWords.Word]) -> Set<String> {
        var names: Set<String> = []
        // What each open brace belongs to.
        var scopes: [String] = []
        var opening = ""
        for (index, word) in words.enumerated() {
            let next = index + 1 < words.count ? words[index + 1].text : ""
            switch word.text {
            case "{":
                scopes.append(opening)
                opening = ""
            case "}":
                _ = scopes.popLast()
            case "extension":
                opening = "extension"
            case _
            where typeKeywords.contains(word.text) && words[index + 1 < words.count ? index + 1 : index].isIdentifier:
                if next == "func" || next == "var" || next == "let" { continue }
                names.insert(next)
                if word.text != "typealias" { opening = "type" }
            case _ where memberKeywords.contains(word.text):
                let isDeclared = scopes.last == "extension" || scopes.isEmpty && word.text == "func"
                if isDeclared { names.insert(next) }
                if word.text != "let" { opening = "member" }
            case "init", "get", "set", "didSet":
                opening = "member"
            default:
                break
            }
        }
        return names
    }
}

extension [SwiftWords.Word] {
    /// The type before the dot in `Type.Name`, which can be a type of another module.
    fileprivate func qualifier(of index: Int) -> String? {
        guard index >= 2, self[index - 1].text == ".", self[index - 2].text.first?.isUppercase == true else {
            return nil
        }
        return self[index - 2].text
    }
}
