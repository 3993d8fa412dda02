internal import ReceiptTypes

/// Reads the format version, in each of the forms that files use.
struct VersionReader {
    typealias Version = StoreConfiguration.FormatVersion

    let context: ReadingContext

    /// Returns the version of a file; the default of ``StoreConfiguration`` where it is missing or unreadable.
    func version(of root: SourceValue) -> Version {
        let name = FormatKey.version.rawValue
        guard let member = root.members.first(where: { $0.name.isIdentical(to: name) }),
            let version = version(at: root.child(member))
        else { return StoreConfiguration().version }
        checkSupport(version, at: root.child(member))
        return version
    }

    private func version(at place: SourceValue) -> Version? {
        switch place.value {
        // `RecordReader` reports a version that is null.
        case .null: return nil
        case .object:
            guard let reader = RecordReader(place, .version, context), let major = reader.integer(.major)
            else { return nil }
            return Version(major: major, minor: reader.integer(.minor) ?? 0)
        default:
            let version = lenientVersion(place)
            let form = place.value.kind
            context.report(
                .error, .versionNotAnObject, at: place, "the version is \(form.name) and not an object",
                expected: #"{ "major" : 4, "minor" : 0 }"#, found: sourceDescription(place),
                hint: version.map { "it is read as \($0.major).\($0.minor)" } ?? "it cannot be read"
            )
            return version
        }
    }

    /// Returns the version in an array, a string or a number.
    private func lenientVersion(_ place: SourceValue) -> Version? {
        let parts: [String]
        if case .array = place.value {
            parts = place.elements(atMost: 3).map { $0.looseText ?? "" }
        } else {
            let text = place.looseText ?? ""
            guard text.utf8.count <= 16 else { return nil }
            parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
        let numbers = parts.compactMap { $0.utf8.count <= 8 ? Int($0) : nil }
        guard (1...3).contains(parts.count), numbers.count == parts.count, let major = numbers.first else { return nil }
        return Version(major: major, minor: numbers.count > 1 ? numbers[1] : 0)
    }

    /// Returns a short array as JSON, and any other value as findings show it.
    private func sourceDescription(_ place: SourceValue) -> String {
        guard case .array = place.value, place.range.count <= ConfigurationBudget.quotedSize else { return place.found }
        return place.value.description
    }

    private func checkSupport(_ version: Version, at place: SourceValue) {
        let known = FormatRecord.versions
        let found = "\(version.major).\(version.minor)"
        let expected = "\(known.lowerBound) to \(known.upperBound)"
        if version.major > known.upperBound || (version.major == known.upperBound && version.minor > 0) {
            context.report(
                .warning, .newerVersion, at: place, "the version is newer than the known ones",
                expected: expected, found: found, hint: "it is read as version \(known.upperBound)"
            )
        } else if version.major < known.lowerBound {
            context.report(
                .warning, .olderVersion, at: place, "the version is older than the known ones",
                expected: expected, found: found, hint: "it is read as version \(known.lowerBound)"
            )
        }
    }
}
