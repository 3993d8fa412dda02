import Foundation
import SQLite
import Testing
import TranscriptSupport

@testable import PurchaseStorage

/// Puts something else in the place of each file that SQLite or the package has beside a database, and runs every
/// command, and the app.
@Suite("Foreign files beside the database of purchases", .timeLimit(.minutes(15)))
struct ForeignFileTests {
    /// What has the name of a file, and the command that puts it there.
    enum Kind: String, CaseIterable {
        case hotJournal, empty, link, danglingLink, pipe, folder, secondName, otherOwner

        /// The kinds that each user can make.
        static var own: [Kind] { allCases.filter { $0 != .otherOwner } }

        /// Whether it is a private file, whose content SQLite reads.
        var isFile: Bool { [.hotJournal, .empty].contains(self) }

        var command: String {
            switch self {
            case .hotJournal: "cp journal $f"
            case .empty: ": > $f"
            case .link: "ln -s keys/sealing.key $f"
            case .danglingLink: "ln -s nowhere $f"
            case .pipe: "mkfifo $f"
            case .folder: "mkdir $f"
            case .secondName: "ln c/app/purchases.sqlite $f"
            case .otherOwner: "cp journal $f && chown 65534 $f"
            }
        }
    }

    /// The files beside a database that SQLite names, and those that the package names.
    private static let sqliteNames = SQLiteFiles.suffixes + ["-mj0123ABCD9"]
    private static let ownNames = ["-lock", "-erasing", "-recovering", "-recovered", "-recovered-journal"]

    private static let readers = ["list", "show ID", "verify", "export", "check"]
    private static let writers = ["import receipts", "erase 22222222-c51c-4bf4-9960-e1c80e27aba0", "repair"]
    private static let app = "app"
    private static let commands = readers + writers + [app]
    /// One command for each way to open the database, beside a file that only the package names.
    private static let differentCommands = ["list", "check", "import receipts", "repair", app]

    private let runner: TranscriptRunner
    /// What the app prints when it is launched again, and the codes of the commands.
    private var launched: [String] = []
    private var codes: [String: Int32] = [:]

    /// The app's folder after two launches, without a log, and an export of it.
    init() throws {
        runner = try TranscriptRunner(.purchases, samples: "Tests/PurchasesToolTests/Transcripts")
        // The header of a journal for a database that was empty before: a replay empties it again.
        let journal: [UInt8] =
            [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 1, 0, 0, 2, 0]
            + [0, 0, 0x10, 0]
        try Data(journal + [UInt8](repeating: 0, count: 512 - journal.count))
            .write(to: runner.folder.appending(path: "journal"))
        let script = """
            umask 077; chmod 600 journal; mkdir data && example-app data 0 > first.txt && example-app data 0 > app.txt
            purchases erase 22222222-c51c-4bf4-9960-e1c80e27aba0 -q -d data/app > erased.txt
            purchases list -d data/app > list.txt; purchases export -d data/app > receipts
            cut -d ' ' -f 1 list.txt | head -n 1 > id; ls data/app; wc -l < list.txt
            rm -rf c; cp -Rp data c; example-app c 0 | grep -v '^steps'
            """
        let outcome = try runner.run(script)
        let names = ["keys", "purchases.sqlite", "purchases.sqlite-lock", "secrets", "3"]
        try #require(Array(outcome.output.prefix(5)) == names, "\(outcome)")
        launched = Array(outcome.output.dropFirst(5))
        try #require(launched.contains { $0.hasPrefix("orders") && $0.contains("notes.coins") }, "\(launched)")
        for command in Self.commands {
            codes[command] = try run(command, beside: "-none", ":").code
        }
        try #require(codes.values.filter { $0 != 0 } == [1], "only the user to erase is unknown: \(codes)")
    }

    /// What a command does beside something foreign.
    private struct Outcome {
        var code: Int32
        var errorOutput: [String]
        /// Whether the database has the same bytes as before.
        var isUnchanged: Bool
        /// The names of the folder after the command, without those of the template.
        var names: [String]
        /// What the app prints that is launched after the foreign file was taken away, and the listed purchases, if the
        /// database is not the same.
        var launched, list: [String]
    }

    /// Runs a command over a copy of the template, ended after a minute if it hangs.
    private func run(_ command: String, beside name: String, _ place: String) throws -> Outcome {
        let tool =
            command == Self.app
            ? "example-app c 0"
            : "purchases \(command.replacing("ID", with: "$(cat id)")) -q -d c/app"
                + (command == "verify" || command.hasPrefix("import") ? " --root data/store/root.der" : "")
        let script = """
            umask 077; rm -rf c away; cp -Rp data c; f=c/app/purchases.sqlite\(name); if [ -e $f ]; then mv $f away; fi
            \(place) || exit 99
            timeout -s KILL 60 \(tool) > out.txt; code=$?
            if cmp -s data/app/purchases.sqlite \(name == "" ? "away" : "c/app/purchases.sqlite"); then echo same; else echo changed; fi
            ls c/app | grep '^purchases.sqlite.' | grep -v -x purchases.sqlite-lock; echo end
            rm -rf $f; if [ -e away ]; then mv away $f; fi
            if ! cmp -s data/app/purchases.sqlite c/app/purchases.sqlite; then
                timeout -s KILL 60 purchases list -d c/app; echo end
                timeout -s KILL 60 example-app c 0 | grep -v '^steps'
            else echo end; fi
            exit $code
            """
        let outcome = try runner.run(script)
        let parts = outcome.output.split(separator: "end", omittingEmptySubsequences: false)
        try #require(parts.count == 3, "\(outcome)")
        return Outcome(
            code: outcome.code, errorOutput: outcome.errorOutput, isUnchanged: parts[0].first == "same",
            names: Array(parts[0].dropFirst()), launched: Array(parts[2]), list: Array(parts[1]))
    }

    @Test("beside a foreign file no command and no app hangs or loses a purchase", arguments: Kind.own)
    func foreignFile(kind: Kind) throws { try check(kind) }

    @Test(
        "beside a file of another user no command and no app hangs or loses a purchase",
        .enabled(if: geteuid() == 0, "only root can give a file to another user"))
    func fileOfAnotherUser() throws { try check(.otherOwner) }

    private func check(_ kind: Kind) throws {
        let list = try runner.run("cat list.txt").output
        for name in [""] + Self.sqliteNames + Self.ownNames {
            // Another database in the place of this one is damage, which the recovery tests have.
            if name == "", kind.isFile || kind == .secondName { continue }
            for command in Self.ownNames.contains(name) ? Self.differentCommands : Self.commands {
                let outcome = try run(command, beside: name, kind.command)
                let place = Comment(rawValue: "\(kind) in the place of \(name), \(command): \(outcome)")
                #expect(outcome.code >= 0 && outcome.code < 10, place)
                if !outcome.list.isEmpty || !outcome.isUnchanged {
                    #expect(outcome.list == list && outcome.launched == launched, place)
                }
                if name == "" {
                    #expect(outcome.code == (command == Self.app ? 1 : 2), place)
                    continue
                }
                if Self.readers.contains(command) { #expect(outcome.isUnchanged, place) }
                switch name {
                case SQLiteFiles.journal: checkJournal(outcome, command, place)
                case SQLiteFiles.log, SQLiteFiles.logIndex, "-lock":
                    // Such a file is refused before anything is done, and stays.
                    guard !kind.isFile else { continue }
                    #expect(outcome.code == (command == Self.app ? 1 : 2) && outcome.isUnchanged, place)
                default: continue
                }
            }
        }
    }

    /// A reader refuses what has the name of a journal with a code of its own, and a writer renames it; both name it.
    private func checkJournal(_ outcome: Outcome, _ command: String, _ place: Comment) {
        if Self.readers.contains(command) {
            #expect(outcome.code == 4 && outcome.names == ["purchases.sqlite-journal"], place)
            #expect(outcome.errorOutput.first?.contains("purchases.sqlite-journal does not belong") == true, place)
        } else {
            #expect(outcome.code == codes[command], place)
            #expect(outcome.names.contains("purchases.sqlite.damaged-FOREIGN-1-journal"), place)
            #expect(!outcome.names.contains("purchases.sqlite-journal"), place)
            if command == Self.app { return }
            #expect(outcome.errorOutput.contains { $0.contains("purchases.sqlite-journal was set aside as") }, place)
        }
    }
}
