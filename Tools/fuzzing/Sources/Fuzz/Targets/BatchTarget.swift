@testable internal import ReceiptTypes
@testable internal import ReceiptVerification

/// Batches: receipts as lines, JSON Lines, CSV and whole files, in pieces of any size.
///
/// The output does not depend on the size of the pieces, on the number of jobs, or on whether a run was resumed; each
/// line of it is one JSON object.
///
/// Sections of an input: the choices, then up to three sources. In a source `%T` stands for a genuine receipt, `%O` for
/// one of another signer, `%B` for a forged one, and `%F` for a run of spaces.
final class BatchTarget: FuzzTarget {
    static let name = "batch"
    static let summary = "batches of lines, JSON Lines, CSV and whole files, in pieces of any size"
    static let maximumLength = 1024

    private let verifier: ReceiptVerifier
    private let smallVerifier: ReceiptVerifier
    private let fillings: [(letter: UInt8, text: [UInt8])]
    /// Four of these are longer than a batch's blocks of 2 MiB, and than the longest record. They are spaces because
    /// the search for receipts in other characters would take most of the time.
    private let longRun = [UInt8](repeating: UInt8(ascii: " "), count: 700_000)

    init() throws {
        let anchors = FixedAuthority.anchors
        verifier = ReceiptVerifier(trustAnchors: anchors, clock: { VerdictChecker.clock })
        smallVerifier = ReceiptVerifier(
            policy: .init(maximumSize: 3000), trustAnchors: anchors, clock: { VerdictChecker.clock })
        let payload = [UInt8](SamplePayload.transaction.utf8)
        let forged = FixedAuthority.Signer(key: FixedKey("stranger"), chain: FixedAuthority.signers[0].chain)
        fillings = [
            (UInt8(ascii: "T"), FixedAuthority.signers[0].sign(payload: payload)),
            (UInt8(ascii: "O"), FixedAuthority.signers[1].sign(payload: [UInt8](SamplePayload.renewalInfo.utf8))),
            (UInt8(ascii: "B"), forged.sign(payload: payload)),
        ]
    }

    var seeds: [(name: String, bytes: [UInt8])] {
        // Format; output; size limit; jobs; whether results are immediate; position to resume from; whether runs are
        // long; the number of piece sizes, and the sizes.
        [
            ("lines", Sections.join([0, 0, 0, 1, 1, 1, 0, 2, 7, 250], "%T\n%B\n\nnothing\n%O")),
            (
                "json",
                Sections.join(
                    [1, 0, 0, 1, 0, 1, 0, 1, 100], "{\"receipt\":\"%T\"}\n{\"receipt\":{\"signedPayload\":\"%O\"}}\nx\n"
                )
            ),
            (
                "csv",
                Sections.join(
                    [2, 0, 0, 1, 0, 1, 0, 1, 3],
                    "id,receipt\r\n1,%T\r\n2,\"%B\"\r\n\"a\"\"\n,b\",\"{\"\"a\"\":1}\"\r\n3\r\n")
            ),
            ("whole", Sections.join([3, 0, 0, 1, 0, 1, 0, 1, 9], "%T", "[\"%O\",\"%T\"]", "")),
            ("only-mark", Sections.join([0, 0, 0, 1, 1, 1, 0, 2, 7, 250], "%T\nnothing", "\u{FEFF}", "")),
            ("csv-output", Sections.join([0, 1, 0, 0, 0, 1, 0, 1, 0], "%T\n%B\n=1+1")),
            ("long", Sections.join([0, 0, 1, 1, 1, 1, 0xF0, 2, 0, 0], "%T\nx%F%F%F%F\n%T")),
            ("unfinished", Sections.join([0, 0, 1, 0, 0, 0, 0xF0, 0], "%T\nx%F%F%T\nx%F%F.")),
            ("many-long", Sections.join([0, 0, 0, 1, 0, 1, 0xF0, 1, 0], "%T\n%F\n%Fx\n%T%F\n%B\n%F\n%O")),
            ("long-csv", Sections.join([2, 0, 1, 1, 0, 1, 0xF0, 1, 0], "receipt\n\"%F\n%F\n%F%F\"\n%T\n")),
            ("mark", Sections.join([2, 0, 0, 0, 0, 1, 0], "\u{FEFF}receipt,b\n%T,\n")),
        ]
    }

    func run(_ input: [UInt8]) throws {
        let sections = Sections(input)
        var choices = Choices(sections[0])
        let formats: [BatchFormat] = [.lines, .json(field: "receipt"), .csv(column: "receipt"), .whole]
        var settings = BatchRun.Settings()
        settings.format = choices.element(of: formats)
        settings.output = choices.element(of: [.jsonLines, .csv])
        let verifier = choices.flag() ? smallVerifier : self.verifier
        let jobs = 1 + choices.number(below: 3)
        let isImmediate = choices.flag()
        let place = Int(choices.byte())
        // Long runs are slow, so only this byte selects them.
        let run = choices.byte() == 0xF0 ? longRun : [UInt8](longRun.prefix(40))
        let sources = (1...3).map { fill(sections[$0], run) }.filter { !$0.isEmpty }

        // Immediate results are written before it is known whether a name is right.
        settings.isImmediate = isImmediate
        let whole = try BatchRun(sources, settings, verifier)
        whole.check()
        if settings.format == .lines, settings.output == .jsonLines { whole.compareWithSingles(sources, verifier) }
        settings.jobs = jobs
        settings.pieces = choices.run().map { $0 == 0 ? 65_536 : Int($0) }
        let pieces = try BatchRun(sources, settings, verifier)
        compare(pieces, whole, "in pieces of \(settings.pieces.prefix(8)) with \(jobs) jobs")
        requireEqual(pieces.summary?.json, whole.summary?.json, "the summary")

        // A run that starts at the beginning writes the header line again.
        let positions = pieces.positions.filter { $0.position != BatchPosition() }
        guard !positions.isEmpty else { return }
        let (position, byteCount) = positions[place % positions.count]
        settings.start = position
        var rest = try BatchRun(sources, settings, verifier)
        rest.prepend(pieces.lines.prefix(byteCount))
        compare(rest, whole, "resumed at \(position)")
    }

    private func compare(_ run: BatchRun, _ whole: BatchRun, _ how: String) {
        requireEqual(run.failure, whole.failure, "whether a batch can be read, \(how)")
        guard run.lines != whole.lines else { return }
        stop(
            """
            the output differs, \(how)
            \(String(decoding: run.lines, as: UTF8.self))
            -- expected
            \(String(decoding: whole.lines, as: UTF8.self))
            """)
    }

    private func fill(_ text: [UInt8], _ run: [UInt8]) -> [UInt8] {
        fillings.reduce(text) { text, filling in text.replacing(filling.letter) { filling.text } }
            .replacing(UInt8(ascii: "F")) { run }
    }
}
