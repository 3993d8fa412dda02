import Foundation

/// The command-line options, which `Tools/bench` passes on.
struct Options {
    var rounds = 5
    var threads = Options.defaultThreads
    var isQuick = false
    var only: [String] = []
    var json: String?
    var compare: String?
    var check: String?
    var save: String?
    var tool = ""
    var storeTool = ""
    var previewTool = ""
    var folder = ""
    var isListing = false

    private static let defaultThreads = 2
    /// The limit of `raw_verify`.
    private static let maximumThreads = 64

    init(_ words: [String]) throws {
        var words = words[...]
        func value(_ flag: String) throws -> String {
            guard let value = words.popFirst() else { throw Self.misuse("\(flag) needs a value") }
            return value
        }
        func number(_ flag: String, in range: ClosedRange<Int>) throws -> Int {
            guard let number = Int(try value(flag)), range.contains(number) else {
                throw Self.misuse("\(flag) takes a number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        while let word = words.popFirst() {
            switch word {
            case "--rounds": rounds = try number(word, in: 1...1000)
            case "--threads": threads = try number(word, in: 2...Self.maximumThreads)
            case "--quick": isQuick = true
            case "--only": only.append(try value(word))
            case "--json": json = try value(word)
            case "--compare": compare = try value(word)
            case "--check": check = try value(word)
            case "--save": save = try value(word)
            case "--tool": tool = try value(word)
            case "--store-tool": storeTool = try value(word)
            case "--preview-tool": previewTool = try value(word)
            case "--folder": folder = try value(word)
            case "--list": isListing = true
            default: throw Self.misuse("unknown option \(word)")
            }
        }
        // The cases remove the folder; without a path it would be the working directory.
        guard isListing || !folder.isEmpty else { throw Self.misuse("--folder is missing") }
        // With few receipts, preparing a key has more weight, and the gain depends on the number of threads.
        guard check == nil && save == nil || !isQuick && threads == Self.defaultThreads else {
            throw Self.misuse(
                "the stored ratios are those of full runs with \(Self.defaultThreads) threads: --check and --save do "
                    + "not work with --quick or another number of --threads"
            )
        }
    }

    private static func misuse(_ message: String) -> Failure { Failure(message, hint: "Tools/bench --help") }
}
