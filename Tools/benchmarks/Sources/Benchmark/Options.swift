import Foundation

/// The command line, which `Tools/bench` has read before and hands on.
struct Options {
    var rounds = 5
    var threads = 2
    var isQuick = false
    var only: [String] = []
    var json: String?
    var compare: String?
    var check: String?
    var save: String?
    var tool = ""
    var isListing = false

    struct Failure: Error {
        let message: String
    }

    init(_ words: [String]) throws {
        var words = words[...]
        func value(_ flag: String) throws -> String {
            guard let value = words.popFirst() else { throw Failure(message: "\(flag) needs a value") }
            return value
        }
        func number(_ flag: String) throws -> Int {
            guard let number = Int(try value(flag)), number >= 1 else {
                throw Failure(message: "\(flag) takes a whole number from 1 on")
            }
            return number
        }
        while let word = words.popFirst() {
            switch word {
            case "--rounds": rounds = try number(word)
            case "--threads": threads = min(try number(word), 64)
            case "--quick": isQuick = true
            case "--only": only.append(try value(word))
            case "--json": json = try value(word)
            case "--compare": compare = try value(word)
            case "--check": check = try value(word)
            case "--save": save = try value(word)
            case "--tool": tool = try value(word)
            case "--list": isListing = true
            default: throw Failure(message: "unknown option \(word)")
            }
        }
    }
}
