internal import ReceiptTypes

/// Reads the version of the format, in each way in which it is written.
struct VersionReader {
    typealias Version = StoreConfiguration.FormatVersion

    let walk: ConfigurationWalk

    /// The version of a file; where there is none, the one that most files have.
    func version(of root: SourceValue) -> Version {
        let name = FormatKey.version.rawValue
        guard let member = root.members.first(where: { $0.name.isIdentical(to: name) }),
            let version = version(at: root.child(member))
        else { return StoreConfiguration().version }
        judge(version, at: root.child(member))
        return version
    }

    private func version(at place: SourceValue) -> Version? {
        switch place.value {
        // A version that is missing is reported with the other keys.
        case .null: return nil
        case .object:
            guard let reader = RecordReader(place, .version, walk), let major = reader.integer(.major)
            else { return nil }
            return Version(major: major, minor: reader.integer(.minor) ?? 0)
        default:
            let version = loose(place)
            let form = place.value.kind
            walk.report(
                .error, .versionNotAnObject, at: place, "the version is \(form.name) and not an object",
                expected: #"{ "major" : 4, "minor" : 0 }"#, found: written(place),
                hint: version.map { "it is read as \($0.major).\($0.minor)" } ?? "it cannot be read"
            )
            return version
        }
    }

    /// The version in an array, a text or a number.
    private func loose(_ place: SourceValue) -> Version? {
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

    /// A short array as it is written.
    private func written(_ place: SourceValue) -> String {
        guard case .array = place.value, place.range.count <= ConfigurationBudget.quotedSize else { return place.found }
        return place.value.description
    }

    private func judge(_ version: Version, at place: SourceValue) {
        let known = FormatRecord.versions
        let found = "\(version.major).\(version.minor)"
        let expected = "\(known.lowerBound) to \(known.upperBound)"
        if version.major > known.upperBound || (version.major == known.upperBound && version.minor > 0) {
            walk.report(
                .warning, .newerVersion, at: place, "the version is newer than those known",
                expected: expected, found: found, hint: "it is read as version \(known.upperBound)"
            )
        } else if version.major < known.lowerBound {
            walk.report(
                .warning, .olderVersion, at: place, "the version is older than those known",
                expected: expected, found: found, hint: "it is read as version \(known.lowerBound)"
            )
        }
    }
}
