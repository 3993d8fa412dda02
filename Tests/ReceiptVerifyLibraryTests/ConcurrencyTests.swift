import Foundation
import Testing
import TranscriptSupport

/// Uses one verifier of the C interface on many threads; ThreadSanitizer runs these tests too.
@Suite("C interface on threads")
struct ConcurrencyTests {
    @Test("eight threads that share a verifier get the results of one thread")
    func threads() throws {
        let interface = try Interface(
            policy: InterfaceTests.policy, folder: PackageFolder.url.appendingPathComponent("TestVectors").path)
        let receipts = try ["transaction.jws", "tampered.jws", "renewal-info.jws", "notification.json"].map {
            [UInt8](try Data(contentsOf: PackageFolder.url.appendingPathComponent("TestVectors/samples/\($0)")))
        }
        let expected = try receipts.map { try interface.verify($0) }
        let shared = SharedInterface(interface)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<100 {
                let number = (round + thread) % receipts.count
                let result = try? shared.interface.verify(receipts[number])
                if result != expected[number] { Issue.record("another result for receipt \(number)") }
                if round % 20 == thread { _ = try? shared.interface.statistics() }
            }
        }
        let statistics = try shared.interface.statistics()
        #expect(statistics.contains("\"total\":804"), "\(statistics)")
    }
}

/// An interface that threads share.
// Safe to share: the functions of the C interface can be called on any thread, which is what the test is about.
private final class SharedInterface: @unchecked Sendable {
    let interface: Interface

    init(_ interface: consuming Interface) {
        self.interface = interface
    }
}
