import CMeasurement
import Foundation

/// A program to run as a process and measure.
struct Program {
    /// Its name or path, and its arguments.
    let words: [String]

    /// Runs it with its output discarded, which disturbs it least, and returns its time.
    func time() throws -> Elapsed {
        let null = open("/dev/null", O_RDWR)
        defer { close(null) }
        let figures = try run(
            process_streams(input: null, repeated: nil, repeated_count: 0, repetitions: 0, output: null)
        )
        return Elapsed(seconds: figures.seconds, processorSeconds: figures.processor_seconds)
    }

    /// Runs it, reads its output, and returns what was measured.
    ///
    /// - Parameters:
    ///   - input: The bytes for its standard input.
    ///   - repetitions: How many times the input is written.
    func observe(input: [UInt8] = [], repetitions: Int = 1) throws -> process_figures {
        try input.withUnsafeBufferPointer { bytes in
            let null = open("/dev/null", O_RDONLY)
            defer { close(null) }
            return try run(
                process_streams(
                    input: null, repeated: bytes.isEmpty ? nil : bytes.baseAddress, repeated_count: bytes.count,
                    repetitions: repetitions, output: -1
                )
            )
        }
    }

    private func run(_ streams: process_streams) throws -> process_figures {
        let pointers = words.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        let arguments = pointers.map { UnsafePointer<CChar>($0) } + [nil]
        var figures = process_figures()
        let status = withUnsafePointer(to: streams) { measure_process(arguments, $0, &figures) }
        guard status == 0 else {
            throw Failure("\(words.first ?? "") could not be run: \(String(cString: strerror(status)))")
        }
        guard figures.exit_code == 0 else {
            throw Failure("\(words.joined(separator: " ")) exited with \(figures.exit_code)")
        }
        return figures
    }
}
