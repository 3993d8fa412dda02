import Foundation

/// A benchmark with its name on the command line; it can return several figures.
struct Case {
    let name: String
    let measure: () throws -> [Figure]

    /// Returns all cases, in the order of the table.
    static func all(_ options: Options) throws -> [Case] {
        let stopwatch = try Stopwatch(
            rounds: options.rounds, threads: options.threads, rawCount: options.isQuick ? 3000 : 10_000
        )
        let count = options.isQuick ? 10_000 : 100_000
        let chains = count / 10
        let single = SingleCases(stopwatch: stopwatch, count: count / 5)
        let batch = BatchCases(stopwatch: stopwatch, threads: options.threads, count: count)
        let play = PlayCases(stopwatch: stopwatch, count: count / 2)
        let appReceipts = AppReceiptCases(stopwatch: stopwatch, count: count / 10)
        let tool = ToolCases(
            stopwatch: stopwatch, threads: options.threads, count: count, tool: options.tool,
            previewTool: options.previewTool, folder: URL(filePath: options.folder)
        )
        let store = StoreCases(
            rounds: options.rounds, tool: options.storeTool, folder: URL(filePath: options.folder))
        let purchases = PurchaseCases(
            rounds: options.rounds, count: count, folder: URL(filePath: options.folder))
        let sizes = [10_000, 100_000] + (options.isQuick ? [] : [1_000_000])
        return [
            Case(name: "single-warm", measure: single.warm),
            Case(name: "single-cold", measure: single.cold),
            Case(name: "batch", measure: batch.oneSigner),
            Case(name: "signers-3") { try batch.manySigners(3) },
            Case(name: "signers-50") { try batch.manySigners(50) },
            Case(name: "chains", measure: ChainCases(stopwatch: stopwatch, count: chains).manyChains),
            Case(name: "notifications", measure: batch.notifications),
            Case(name: "play", measure: play.oneKey),
            Case(name: "app-receipts", measure: appReceipts.warm),
            Case(name: "app-receipts-500", measure: appReceipts.manyPurchases),
            Case(name: "app-receipts-cold", measure: appReceipts.cold),
            Case(name: "refused", measure: batch.refused),
            Case(name: "tool", measure: tool.endToEnd),
            Case(name: "report", measure: tool.report),
            Case(name: "memory") { try tool.memory(sizes) },
            Case(name: "memory-chains") { try tool.memoryOfChains(chains) },
            Case(name: "memory-app-receipts", measure: tool.memoryOfAppReceipts),
            Case(name: "start", measure: tool.start),
            Case(name: "projection", measure: ProjectionCases(rounds: options.rounds).growth),
            Case(name: "purchases", measure: purchases.files),
            Case(name: "gating") {
                try MainActor.assumeIsolated { try GatingCases(rounds: options.rounds).answers() }
            },
            Case(name: "store", measure: store.commands),
            Case(name: "simulate", measure: store.simulation),
        ]
    }
}
