internal import ReceiptTypes

/// One kind of object of the format: the keys that it has, and what stands under them.
///
/// These tables are the one description of the format. Whatever reads or judges a file asks them.
struct FormatRecord: Sendable {
    /// What it is, in words.
    let name: String
    let fields: [FormatField]
    /// Keys that other objects of the format have for the same thing, and that end up here.
    var misnomers: [(name: String, key: FormatKey)] = []

    /// The field of a name, compared byte by byte.
    func field(named name: String) -> FormatField? {
        fields.first { $0.key.rawValue.isIdentical(to: name) }
    }

    /// The field that a wrong name stands for.
    func misnomer(_ name: String) -> FormatField? {
        guard let key = misnomers.first(where: { $0.name.isIdentical(to: name) })?.key else { return nil }
        return fields.first { $0.key == key }
    }

    /// The key that is closest to a name that the format does not have.
    func nearest(to name: String) -> String? {
        NearestWord.to(name, in: fields.map(\.key.rawValue))
    }
}
