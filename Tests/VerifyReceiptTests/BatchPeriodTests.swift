import Foundation
import Testing
import TranscriptSupport

/// Runs the tool with the time zones of the system.
@Suite(
    "Time zones of --since and --until",
    .enabled(if: FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/Europe/Berlin"), "needs tzdata"))
struct BatchPeriodTests {
    private let shell: TranscriptRunner

    init() throws {
        shell = try TranscriptRunner(.verifyReceipt, samples: "TestVectors/samples")
    }

    private func run(_ flags: String) throws -> (code: Int32, output: [String], errorOutput: [String]) {
        let outcome = try shell.run(
            "verify-receipt batch -q samples/transaction.jws --root samples/root.der --fields line \(flags)")
        return (outcome.code, outcome.output, outcome.errorOutput)
    }

    @Test(
        "times without an offset are those of the clocks in the zone",
        arguments: [
            // The sample is signed at 2025-10-01T12:00:00.123Z.
            ("--since 2025-10-01T14:00 --timezone Europe/Berlin", 1),
            ("--since 2025-10-01T14:01 --timezone Europe/Berlin", 0),
            ("--since 2025-10-01T12:00:00Z --timezone Europe/Berlin", 1),
            ("--until 2025-10-01T14:00:00.123 --timezone Europe/Berlin", 0),
            ("--until 2025-10-01T14:00:00.124 --timezone Europe/Berlin", 1),
            ("--since 2025-10-02 --timezone Pacific/Kiritimati", 1), ("--since 2025-10-02", 0),
            ("--until 2025-09-30 --timezone Etc/GMT+12", 0), ("--until 2025-10-01 --timezone Asia/Tokyo", 1),
            ("--since 2025-10-01 --until 2025-10-01 --timezone Asia/Kolkata", 1),
        ])
    func clocks(flags: String, count: Int) throws {
        let outcome = try run(flags)
        #expect(outcome.code == 0 && outcome.output.count == count, "\(outcome.errorOutput)")
        let variable = flags.split(separator: " --timezone ")
        if variable.count == 2 {
            let other = try shell.run(
                "VERIFY_RECEIPT_TIMEZONE=\(variable[1]) verify-receipt batch -q samples/transaction.jws --root "
                    + "samples/root.der --fields line \(variable[0])")
            #expect(other.output.count == count)
        }
    }

    @Test(
        "a day begins and ends with its first and last instant, also where clocks are set at midnight",
        arguments: [
            ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"),
            ("2018-02-17", "America/Sao_Paulo", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"),
            ("2025-11-02", "America/Havana", "2025-11-02T04:00:00Z", "2025-11-03T05:00:00Z"),
            ("2025-10-26", "Europe/Berlin", "2025-10-25T22:00:00Z", "2025-10-26T23:00:00Z"),
            ("2025-03-30", "Europe/Berlin", "2025-03-29T23:00:00Z", "2025-03-30T22:00:00Z"),
            ("2011-12-29", "Pacific/Apia", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"),
            ("2025-10-04", "Australia/Lord_Howe", "2025-10-03T13:30:00Z", "2025-10-04T13:30:00Z"),
        ])
    func days(day: String, zone: String, start: String, end: String) throws {
        // The error names the instants.
        let first = try run("--since \(day) --until 0001-01-02T00:00Z --timezone \(zone)").errorOutput.last
        #expect(first?.hasSuffix("the period from \(start) to 0001-01-02T00:00:00Z is empty") == true, "\(first ?? "")")
        let last = try run("--until \(day) --since 9999-01-01T00:00Z --timezone \(zone)").errorOutput.last
        #expect(last?.hasSuffix("to \(end) is empty") == true, "\(last ?? "")")
    }

    @Test(
        "a time that clocks skip or repeat is refused with a hint, and clear with an offset",
        arguments: [
            ("2025-03-30T02:30", "Europe/Berlin", "there is no 2025-03-30T02:30 in Europe/Berlin", "after it"),
            ("2025-10-26T02:30", "Europe/Berlin", "2025-10-26T02:30 is twice", "+02:00 or +01:00"),
            ("2025-11-02T01:30:00", "America/New_York", "is twice in America/New_York", "-04:00 or -05:00"),
            ("2011-12-30", "Pacific/Apia", "there is no 2011-12-30 in Pacific/Apia", "another day"),
            ("2025-04-06T01:45", "Australia/Lord_Howe", "is twice", "+11:00 or +10:30"),
        ])
    func unclear(time: String, zone: String, message: String, hint: String) throws {
        for flag in ["--since", "--until"] {
            let outcome = try run("\(flag) \(time) --timezone \(zone)")
            #expect(outcome.code == 2)
            #expect(outcome.errorOutput.first?.contains(message) == true, "\(outcome.errorOutput)")
            #expect(outcome.errorOutput.last?.contains(hint) == true, "\(outcome.errorOutput)")
            guard time.contains("T") else { continue }
            #expect(try run("\(flag) \(time)+02:00 --timezone \(zone)").code == 0)
        }
    }

    @Test(
        "a name that is no zone is refused",
        arguments: [
            ("Europe/Berln", "did you mean --timezone Europe/Berlin"), ("europe/berlin", "--timezone"),
            ("../../../etc/localtime", "--timezone takes"), ("/usr/share/zoneinfo/UTC", "--timezone takes"),
            ("right/Europe/Berlin", "--timezone"), ("zone.tab", "--timezone"), ("Europe", "--timezone"),
            ("CET-1CEST", "--timezone"), ("Europe//Berlin", "--timezone"),
        ])
    func names(name: String, hint: String) throws {
        let outcome = try run("--since 2025-10-01 --timezone \(name)")
        #expect(outcome.code == 2 && outcome.output.isEmpty)
        #expect(outcome.errorOutput.first?.contains("there is no time zone") == true, "\(outcome.errorOutput)")
        #expect(outcome.errorOutput.last?.contains(hint) == true, "\(outcome.errorOutput)")
    }

    @Test("the zone of the system does not matter, and a system without zones is named")
    func systems() throws {
        let flags = "batch -q samples/transaction.jws --root samples/root.der --fields line --since 2025-10-02"
        #expect(try shell.run("TZ=Pacific/Kiritimati verify-receipt \(flags)").output.isEmpty)
        let other = try shell.run("TZDIR=/usr/share/zoneinfo/Europe verify-receipt \(flags) --timezone Berlin")
        #expect(other.code == 0)
    }
}
