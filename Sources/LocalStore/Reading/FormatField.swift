internal import ReceiptTypes

/// What the format has under one key of an object.
struct FormatField: Sendable {
    /// The type of the value.
    enum Shape: Sendable {
        case text
        case flag
        case integer
        case number
        case object
        case list
        /// Judged where it is read: it is often written in another way than the format has it.
        case special
    }

    /// What a reader does without it.
    enum Need: Sendable {
        /// Nothing sensible.
        case required
        /// It manages, but Xcode always writes it.
        case usual
        /// It is left out where there is nothing to say.
        case optional
    }

    let key: FormatKey
    let shape: Shape
    let need: Need
    /// The version of the format that it came with.
    var since = 2
    /// Whether null stands for nothing.
    var isNullable = false
}

extension FormatField.Shape {
    /// Whether a value is of the type.
    func accepts(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.text, .string), (.flag, .boolean), (.integer, .integer), (.number, .integer), (.number, .decimal),
            (.object, .object), (.list, .array), (.special, _):
            true
        default: false
        }
    }

    /// The type in words.
    var words: String {
        switch self {
        case .text: "a text"
        case .flag: "true or false"
        case .integer: "an integer"
        case .number: "a number"
        case .object: "an object"
        case .list: "an array"
        case .special: "a value"
        }
    }

    /// What a value of another type is read as; nil where it says nothing.
    func reading(of value: SourceValue) -> String? {
        switch self {
        case .text: value.looseText.map(Quotation.of)
        case .flag: value.looseFlag.map { $0 ? "true" : "false" }
        case .integer: value.looseInteger.map(String.init)
        default: nil
        }
    }
}
