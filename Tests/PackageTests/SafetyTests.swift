import Testing

/// Checks that no source file uses an operation that traps on input, or that hides an overflow.
@Suite("Safety of the sources")
struct SafetyTests {
    /// The names of the files that may use arithmetic with wrap-around, each with the reason.
    private static let wrappingArithmetic = [
        "SystemCalls.swift": "file times and clocks of the system",
        "Schema.swift": "a hash of field names",
        "SplitMix64.swift": "a random generator, defined modulo 2^64",
        "HeaderHash.swift": "a hash of header bytes",
        "VerificationKeyCache.swift": "counters that must not trap",
        "LedgerChecker.swift": "a seed for each history",
        "OfferExperiment.swift": "a hash of two ids, defined modulo 2^64",
    ]

    @Test("no forced cast and no precondition is in the sources")
    func noTrapOnInput() throws {
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            for word in ["as!", "precondition("] {
                #expect(!file.text.contains(word), "\(file.path) contains \(word)")
            }
        }
    }

    @Test("arithmetic with wrap-around is only in the files that have a reason for it")
    func wrappingArithmetic() throws {
        for file in try PackageFiles.files(in: "Sources", ending: [".swift"]) {
            let wraps = ["&+", "&-", "&*"].contains { file.text.contains($0) }
            let name = file.path.split(separator: "/").last.map(String.init) ?? ""
            let isListed = Self.wrappingArithmetic[name] != nil
            #expect(!wraps || isListed, "\(file.path) uses wrap-around arithmetic without a listed reason")
        }
    }
}
