internal import CommandLineInterface
internal import ReceiptTypes
internal import ReceiptVerification

extension ResultPeriod {
    /// Reads the period of `--since` and `--until`, and the dates of `--date-field`; nil if none is given.
    static func chosen(_ arguments: Arguments, _ messages: Messages) throws(UsageError) -> ResultPeriod? {
        guard arguments.mentions(.since) || arguments.mentions(.until) else {
            let fields = arguments.list(of: .countBy) + arguments.list(of: .fields)
            let hasDays = arguments.mentions(.report) || fields.contains("day") || fields.contains("month")
            if !hasDays, let flag = [Flag.dateField, .timeZone].first(where: arguments.isOnCommandLine) {
                throw UsageError(
                    "\(flag.spelling) needs --since, --until, --report, or the field day or month",
                    hint: "add one of them, or leave it out")
            }
            return arguments.mentions(.dateField) ? try period(from: nil, until: nil, arguments, messages) : nil
        }
        if arguments.has(.everyRecord) {
            throw UsageError(
                "--since and --until cannot be used with --every-record",
                hint: "with --every-record, each record has a result")
        }
        let zone = try zone(arguments)
        let start = try boundary(.since, arguments, zone)
        let end = try boundary(.until, arguments, zone)
        if let start, let end, start >= end {
            throw UsageError(
                "--since must be before --until", hint: "the period from \(text(start)) to \(text(end)) is empty")
        }
        return try period(from: start, until: end, arguments, messages)
    }

    private static func period(
        from start: Int64?, until end: Int64?, _ arguments: Arguments, _ messages: Messages
    ) throws(UsageError) -> ResultPeriod {
        let names = arguments.mentions(.dateField) ? arguments.list(of: .dateField) : nil
        // Names the fields if one is wrong.
        if let names { _ = try ResultContents.fields(names, of: .dateField, messages) }
        do throws(BatchError) {
            return try ResultPeriod(
                from: start.flatMap(Timestamp.init(milliseconds:)), until: end.flatMap(Timestamp.init(milliseconds:)),
                by: names)
        } catch {
            throw UsageError(
                "\(Flag.dateField.spelling): \(error.message)",
                hint: "dates are \(error.names.prefix(10).joined(separator: ", ")) and others")
        }
    }

    /// The names of the dates that are compared.
    static func dateNames(_ arguments: Arguments) -> [String] {
        arguments.mentions(.dateField)
            ? arguments.list(of: .dateField)
            : arguments.mentions(.sum) ? purchaseDates : standardDates
    }

    // MARK: Time zone

    /// Returns the time zone of `--timezone`, by default UTC.
    static func zone(_ arguments: Arguments) throws(UsageError) -> CivilTimeZone {
        guard let name = arguments.value(of: .timeZone) else { return .utc }
        do throws(CivilTimeZone.Problem) {
            return try CivilTimeZone(name)
        } catch {
            switch error {
            case .noDatabase:
                throw UsageError(
                    "the system has no time zones",
                    hint: "install tzdata, or leave out \(arguments.spelling(of: .timeZone))")
            case .unknown(let others):
                throw UsageError(
                    "there is no time zone \(Escaped(name).quoted)",
                    hint: WordSearch.nearest(to: name, in: others).map {
                        "did you mean \(arguments.variable(of: .timeZone).map { "\($0)=" } ?? "--timezone ")\($0)"
                    }
                        ?? "\(arguments.spelling(of: .timeZone)) takes a name such as Europe/Berlin or UTC")
            }
        }
    }

    // MARK: Boundaries

    /// A value of `--since` or `--until`.
    private enum Moment {
        case instant(Timestamp)
        /// A time without a zone, in milliseconds as if it were in UTC.
        case civil(Int64)
        /// The first time of a day.
        case day(Int64)

        init?(_ text: String) {
            let complete = Self.withSeconds(text)
            if let instant = Timestamp(rfc3339: complete) {
                self = .instant(instant)
            } else if let day = Timestamp(rfc3339: text + "T00:00:00Z") {
                self = .day(day.millisecondsSince1970)
            } else if let time = Timestamp(rfc3339: complete + "Z") {
                self = .civil(time.millisecondsSince1970)
            } else {
                return nil
            }
        }

        /// Returns a time such as `2025-10-01T12:00` with the seconds that it leaves out.
        private static func withSeconds(_ text: String) -> String {
            let (head, rest) = (text.prefix(16), text.dropFirst(16))
            guard head.count == 16, rest.first.map("Zz+-".contains) ?? true else { return text }
            return "\(head):00\(rest)"
        }
    }

    private static let day: Int64 = 86_400

    /// Returns the instant of a flag in milliseconds since 1970; it can be up to a day beyond the years 0 to 9999.
    private static func boundary(
        _ flag: Flag, _ arguments: Arguments, _ zone: CivilTimeZone
    ) throws(UsageError) -> Int64? {
        guard let text = arguments.value(of: flag) else { return nil }
        switch Moment(text) {
        case nil:
            throw UsageError(
                "\(flag.spelling) does not take \(Escaped(text).quoted)",
                hint: "it takes a date of the years 0 to 9999, or a time: 2025-10-31, 2025-10-31T18:00 or "
                    + "2025-10-31T18:00:00+01:00")
        case .instant(let time)?: return time.millisecondsSince1970
        case .day(let milliseconds)?:
            let start = zone.firstInstant(notBefore: milliseconds / 1000)
            let end = zone.firstInstant(notBefore: milliseconds / 1000 + day)
            guard start < end else {
                throw UsageError("\(flag.spelling): there is no \(text) in \(zone.name)", hint: "name another day")
            }
            return (flag == .until ? end : start) * 1000
        case .civil(let milliseconds)?:
            let (second, fraction) = milliseconds.quotientAndRemainderFloored(dividingBy: 1000)
            let instants = zone.instants(of: second)
            guard let first = instants.first else {
                throw UsageError(
                    "\(flag.spelling): there is no \(text) in \(zone.name), because clocks are set forward then",
                    hint: "name a time after it, or add the offset from UTC, as in \(text)+01:00")
            }
            guard instants.count == 1 else {
                let offsets = instants.map { offset(zone.offset(at: $0)) }.joined(separator: " or ")
                throw UsageError(
                    "\(flag.spelling): \(text) is twice in \(zone.name), because clocks are set back then",
                    hint: "add the offset from UTC, \(offsets)")
            }
            return first * 1000 + fraction
        }
    }

    /// Returns a difference from UTC as it is written behind a time.
    private static func offset(_ seconds: Int64) -> String {
        let minutes = abs(seconds) / 60
        func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds < 0 ? "-" : "+")\(twoDigits(minutes / 60)):\(twoDigits(minutes % 60))"
    }

    private static func text(_ milliseconds: Int64) -> String { "\(Timestamp(clamping: milliseconds))" }
}
