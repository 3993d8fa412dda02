import LocalStore
import Testing

/// The kinds of findings that no fixture has, one at a time.
struct LintFindingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var text: String
        var expected: String

        var testDescription: String { expected }
    }

    static let head = #"{ "identifier" : "A", "products" : [ ], "nonRenewingSubscriptions" : [ ], "#

    static let cases = [
        Case(
            text: #""subscriptionGroups" : [ ] }"#,
            expected: "1:1: error: the file has no version [missing-key]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : 4 }"#,
            expected: #"2:42: error: the version is an integer and not an object; "#
                + #"expected { "major" : 4, "minor" : 0 }, found 4, at version; "#
                + "it is read as 4.0 [version-not-an-object]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : "new" }"#,
            expected: #"2:42: error: the version is a string and not an object; "#
                + #"expected { "major" : 4, "minor" : 0 }, found "new", at version; "#
                + "it cannot be read [version-not-an-object]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 1, "minor" : 0 } }"#,
            expected:
                "2:42: warning: the version is older than the known ones; expected 2 to 5, found 1.0, at version; "
                + "it is read as version 2 [older-version]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 5, "minor" : 2 } }"#,
            expected:
                "2:42: warning: the version is newer than the known ones; expected 2 to 5, found 5.2, at version; "
                + "it is read as version 5 [newer-version]"
        ),
        Case(
            text: #""subscriptionGroups" : null, "version" : { "major" : 3, "minor" : 0 } }"#,
            expected: "2:25: error: subscriptionGroups has the wrong type; expected an array, found null, "
                + "at subscriptionGroups; it is ignored [wrong-type]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 3, "minor" : 0 }, "settings" : "#
                + #"{ "_timeRate" : true } }"#,
            expected: "2:101: error: _timeRate has the wrong type; expected an integer, found true or false, "
                + "at settings._timeRate; it is read as real time [wrong-type]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 3, "minor" : 0 }, "settings" : "#
                + #"{ "_subscriptionRenewalRate" : 4 } }"#,
            expected: "2:116: error: the format has no key _subscriptionRenewalRate; expected _timeRate with a number, "
                + "found 4, at settings._subscriptionRenewalRate; it is read as _timeRate [renewal-rate-key]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 3, "minor" : 0 }, "settings" : "#
                + #"{ "_storefront" : "Utopia" } }"#,
            expected: "2:103: error: the storefront is not three capital letters; "
                + #"expected an ISO 3166-1 code such as USA, found "Utopia", at settings._storefront; "#
                + "it is read as USA [malformed-storefront]"
        ),
        Case(
            text: #""subscriptionGroups" : [ { "id" : "", "name" : "ü", "localizations" : [ ], "#
                + #""subscriptions" : [ ] } ], "version" : { "major" : 3, "minor" : 0 } }"#,
            expected: "2:36: error: the group has an empty id, at subscriptionGroups[0].id [empty-text]"
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 3, "minor" : 0 }, "ü ü" : 1 }"#,
            expected: #"2:72: warning: the file has no key "ü ü", at ["ü ü"]; it is ignored [unknown-key]"#
        ),
        Case(
            text: #""subscriptionGroups" : [ ], "version" : { "major" : 5, "minor" : 0 }, "appPolicies" : "#
                + #"{ "eula" : "", "policies" : [ { "locale" : "de-DE", "policyText" : "", "policyURL" : "" } ] } }"#,
            expected: "2:131: warning: the locale has the wrong spelling; "
                + #"expected a locale such as en_US or ar, found "de-DE", at appPolicies.policies[0].locale; "#
                + "did you mean de_DE [locale-spelling]"
        ),
    ]

    @Test("each kind of finding has its message and place", arguments: cases)
    func kinds(_ test: Case) {
        let text = Self.head + "\n " + test.text
        let findings = StoreConfiguration.lint(Array(text.utf8)).map(\.description)
        #expect(findings.first == test.expected)
        #expect(findings.count == (test.expected.contains("empty-text") ? 2 : 1))
    }

    @Test("lines end with any line break, and columns count code points")
    func places() throws {
        for end in ["\n", "\r\n", "\r"] {
            let text = "{\(end)\(end)  \"\u{1f3ee}\" : 1 , \"lamps\" : 2\(end)}"
            let findings = StoreConfiguration.lint(Array(text.utf8)).filter { $0.code == .unknownKey }
            #expect(findings.map(\.line) == [3, 3])
            #expect(findings.map(\.column) == [3, 13])
        }
    }

    @Test("two subscriptions of one level, a period of 7 days and one of 12 months have no findings")
    func validVariants() {
        let product = { (id: String, period: String) in
            """
            { "productID" : "\(id)", "referenceName" : null, "type" : "RecurringSubscription", "displayPrice" : "1",
              "familyShareable" : false, "internalID" : "\(id)", "localizations" : [ ], "subscriptionGroupID" : "G",
              "groupNumber" : 1, "recurringSubscriptionPeriod" : "\(period)" }
            """
        }
        let text = """
            { "identifier" : "A", "version" : { "major" : 3, "minor" : 0 }, "products" : [ ],
              "nonRenewingSubscriptions" : [ ], "subscriptionGroups" : [ { "id" : "G", "name" : "G",
              "localizations" : [ ], "subscriptions" : [ \(product("a", "P7D")), \(product("b", "P12M")) ] } ] }
            """
        #expect(StoreConfiguration.lint(Array(text.utf8)).map(\.description) == [])
    }

    // MARK: Fixtures

    @Test("a file that Xcode wrote has no findings, in any version", arguments: StorekitFixture.wellFormed)
    func xcodeFiles(_ name: String) throws {
        #expect(StoreConfiguration.lint(try StorekitFixture.bytes(name)).map(\.description) == [])
    }

    @Test("a hand-written file has exactly the findings in its .findings file", arguments: StorekitFixture.faulty)
    func handwrittenFiles(_ name: String) throws {
        let findings = StoreConfiguration.lint(try StorekitFixture.bytes(name))
        #expect(findings.map(\.description) == (try StorekitFixture.findings(name)))
    }
}
