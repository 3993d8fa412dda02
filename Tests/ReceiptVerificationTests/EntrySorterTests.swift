import ReceiptTypes
import Testing

@testable import ReceiptVerification

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Sorting in a temporary file")
struct EntrySorterTests {
    private func entry(_ bytes: [UInt8]) -> [UInt8] {
        var entry: [UInt8] = []
        EntrySorter.appendCount(bytes.count, to: &entry)
        return entry + bytes
    }

    @Test(
        "entries of any length come back in the order of their bytes, from memory and from any number of runs",
        arguments: [(1_000_000, 64), (4096, 64), (4096, 2), (64, 3), (1, 2)], [[], [9, 0, 255]])
    func order(_ sizes: (runSize: Int, mergedRuns: Int), beginning: [UInt8]) throws {
        let (runSize, mergedRuns) = sizes
        var random = SplitMix64(seed: 7)
        var entries: [[UInt8]] = (0..<600).map { _ in
            let count = Int.random(in: 0...Int.random(in: 0...40, using: &random), using: &random)
            return beginning + (0..<count).map { _ in [0, 1, 255].randomElement(using: &random) ?? 0 }
        }
        for count in [65_535, 65_534] {
            entries.append(beginning + [UInt8](repeating: 1, count: count - beginning.count))
        }
        entries.shuffle(using: &random)
        var sorter = EntrySorter(try SpillFile(in: "/tmp"), runSize: runSize, mergedRuns: mergedRuns)
        var rest = entries[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...20, using: &random)
            try sorter.add(rest.prefix(count).flatMap(entry))
            rest = rest.dropFirst(count)
        }
        var found: [[UInt8]] = []
        try sorter.forEach { found.append($0.array) }
        #expect(found == entries.sorted { $0.lexicographicallyPrecedes($1) })
    }

    @Test("without an entry, there is nothing")
    func nothing() throws {
        var sorter = EntrySorter(try SpillFile(in: "/tmp"))
        try sorter.add([])
        var count = 0
        try sorter.forEach { _ in count += 1 }
        #expect(count == 0)
    }

    @Test("an error of the body ends the order, from memory and from runs", arguments: [1_000_000, 1])
    func failingBody(runSize: Int) throws {
        var count = 0
        #expect(throws: CryptoFault.self) {
            var sorter = EntrySorter(try SpillFile(in: "/tmp"), runSize: runSize)
            for number in UInt8(0)..<9 { try sorter.add(entry([number])) }
            try sorter.forEach { _ in
                count += 1
                if count == 3 { throw CryptoFault.outOfMemory }
            }
        }
        #expect(count == 3)
    }

    #if os(Linux)
        @Test("a full disk is an error with a code of its own")
        func fullDisk() throws {
            let error = #expect(throws: FileError.self) {
                let full = FileDescriptor(unsafe open("/dev/full", O_RDWR | O_CLOEXEC))
                var sorter = EntrySorter(SpillFile(descriptor: full, path: "folder"), runSize: 1)
                try sorter.add(entry([1]))
                try sorter.add(entry([2]))
            }
            #expect(error?.code == .noSpace)
            #expect(error?.message == "folder cannot be written: there is no space left for it (error 28)")
        }
    #endif

    @Test("a folder that does not exist is an error")
    func noFolder() throws {
        let error = #expect(throws: FileError.self) { _ = try SpillFile(in: "/tmp/no such folder") }
        #expect(error?.code == .unwritable)
        #expect(error?.path == "/tmp/no such folder")
    }
}
