#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Writes the seeds of all targets, a folder for each.
enum SeedFolder {
    struct Failure: Error {
        var path: String
    }

    static func write(to folder: String) throws {
        for type in TargetList.all {
            let target = try type.init()
            _ = mkdir("\(folder)/\(type.name)", 0o755)
            for seed in target.seeds { try write(seed.bytes, to: "\(folder)/\(type.name)/\(seed.name)") }
        }
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "w") else { throw Failure(path: path) }
        let written = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, written == bytes.count else { throw Failure(path: path) }
    }
}
