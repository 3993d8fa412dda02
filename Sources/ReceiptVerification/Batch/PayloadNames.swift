internal import ReceiptTypes

/// The chosen members of payloads that verified receipts have, by which a misspelled one is recognized.
///
/// Only fields `payload.NAME` can be misspelled: all others are known names.
struct PayloadNames: Sendable {
    private let paths: [FieldPath]
    private var names: KeptNames
    private var hasPayload = false

    init(_ fields: [ResultField]) {
        let prefix = ResultField.payloadPart + "."
        var paths: [FieldPath] = []
        var names: [String] = []
        for field in fields where field.name.hasPrefix(prefix) {
            guard case .payload(.receipt, let path, _) = field.place else { continue }
            paths.append(path)
            names.append(String(field.name.dropFirst(prefix.count)))
        }
        self.paths = paths
        self.names = KeptNames(names: names)
    }

    /// Looks for the members that no payload has had so far.
    mutating func examine(_ payload: JSONDocument?) {
        guard !names.isComplete, let payload else { return }
        hasPayload = true
        for index in names.missing where paths[index].value(inside: payload.root) != nil {
            names.markAsFound(index)
        }
        names.collect(payload.root)
    }

    /// Adds what another thread has found.
    mutating func add(_ other: PayloadNames) {
        names.add(other.names)
        hasPayload = hasPayload || other.hasPayload
    }

    /// The fields whose member no payload has; none if there was no payload.
    var absent: [BatchSummary.AbsentName] {
        guard hasPayload else { return [] }
        return names.absent.map { absent in
            BatchSummary.AbsentName(
                name: "\(ResultField.payloadPart).\(absent.name)",
                suggestion: absent.suggestion.map { "\(ResultField.payloadPart).\($0)" })
        }
    }
}
