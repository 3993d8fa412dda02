import Testing

@testable import PreviewServer

/// Checks how many connections a server has.
@Suite("Limit of descriptors")
struct DescriptorLimitTests {
    @Test(
        "connections leave descriptors for files, and are never fewer than a page needs",
        arguments: [(1_024, 896), (4_096, 1_024), (200, 72), (64, 8), (0, 8)])
    func connections(_ descriptors: Int, _ expected: Int) {
        #expect(DescriptorLimit.connections(upTo: 1_024, descriptors: descriptors) == expected)
    }

    @Test("a server never has more connections than it asks for")
    func fewer() {
        #expect(DescriptorLimit.connections(upTo: 4, descriptors: 1_024) == 4)
        #expect(DescriptorLimit.connections(upTo: 5) <= 5)
    }
}
