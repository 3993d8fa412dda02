import LocalStore
import Testing

struct LintFixtureTests {
    @Test("a file as Xcode writes it has no findings, whatever its version", arguments: Fixture.good)
    func goodFiles(_ name: String) throws {
        #expect(StoreConfiguration.lint(try Fixture.bytes(name)).map(\.description) == [])
    }

    @Test("a file written by hand has exactly the findings that are written beside it", arguments: Fixture.wrong)
    func wrongFiles(_ name: String) throws {
        let findings = StoreConfiguration.lint(try Fixture.bytes(name))
        #expect(findings.map(\.description) == (try Fixture.findings(name)))
    }
}
