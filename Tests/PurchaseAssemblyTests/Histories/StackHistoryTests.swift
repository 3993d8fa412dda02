import Foundation
import LocalStore
import ReceiptTypes
import Testing

/// The seeds to test: the environment sets their number in `STACK_HISTORIES`, and the first in `STACK_SEED`.
private let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    let first = environment["STACK_SEED"].flatMap { UInt64($0) } ?? 1
    let count = environment["STACK_HISTORIES"].flatMap { UInt64($0) } ?? 12
    return (0..<max(1, count)).map { first + $0 }
}()

/// Random interleavings of everything that changes what a customer has, compared with a model of the rules.
@Suite("Random histories of a purchase stack", .timeLimit(.minutes(seeds.count > 100 ? 240 : 15)))
@MainActor
struct StackHistoryTests {
    /// A folder in memory if the system has one: the files are written a thousand times and mean nothing afterwards.
    private static var parent: String {
        let memory = "/dev/shm"
        return FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path()
    }

    /// The seeds that are left, and what the histories of the others have sold.
    private final class Progress {
        var remaining = seeds[...]
        var sales: [HistoryModel.Sale] = []
    }

    @Test("Every interleaving ends with what the rules say is recorded, granted, sent and erased, and never with more")
    func histories() async throws {
        let signer = try SimulatorSigner()
        let progress = Progress()
        // The parts of a stack work on other threads most of the time, so several histories go on beside each other.
        let workers = (0..<4).map { _ in Task { try await runHistories(progress, signer) } }
        for worker in workers { try await worker.value }
        // A run of a few seeds need not have everything.
        guard seeds.count > 10 else { return }
        #expect(progress.sales.count > seeds.count && progress.sales.contains(where: \.isRefunded))
    }

    private func runHistories(_ progress: Progress, _ signer: SimulatorSigner) async throws {
        while let seed = progress.remaining.popFirst() {
            let history = try HistoryRun(seed: seed, signer: signer, in: Self.parent)
            await history.run()
            #expect(
                history.findings.isEmpty,
                "STACK_SEED=\(seed) STACK_HISTORIES=1: \(history.actions.joined(separator: ", "))")
            // The others would wait for the same defect.
            if !history.findings.isEmpty { progress.remaining = [] }
            progress.sales += history.sales
        }
    }
}
