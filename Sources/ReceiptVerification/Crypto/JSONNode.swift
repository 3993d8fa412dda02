internal import CReceiptCrypto
package import ReceiptTypes

/// A value in a ``JSONDocument``, which it cannot outlive.
@safe
package struct JSONNode: ~Escapable, JSONTree {
    private let raw: OpaquePointer

    @_lifetime(immortal)
    init(raw: OpaquePointer) {
        unsafe self.raw = unsafe raw
    }

    var isObject: Bool { unsafe rc_json_node_type(raw) == .RC_JSON_OBJECT }
    var isArray: Bool { unsafe rc_json_node_type(raw) == .RC_JSON_ARRAY }

    /// The number of elements or members; 0 for any other type.
    var count: Int { unsafe Int(clamping: rc_json_count(raw)) }

    package var kind: JSONKind {
        switch unsafe rc_json_node_type(raw) {
        case .RC_JSON_NULL: .null
        case .RC_JSON_BOOLEAN: .boolean
        case .RC_JSON_INTEGER: unsafe .integer(rc_json_integer(raw))
        case .RC_JSON_DECIMAL: unsafe .decimal(rc_json_decimal(raw))
        case .RC_JSON_STRING: .string
        case .RC_JSON_ARRAY: .array
        case .RC_JSON_OBJECT: .object
        }
    }

    var boolean: Bool? {
        guard unsafe rc_json_node_type(raw) == .RC_JSON_BOOLEAN else { return nil }
        return unsafe rc_json_boolean(raw)
    }

    var integer: Int64? {
        guard unsafe rc_json_node_type(raw) == .RC_JSON_INTEGER else { return nil }
        return unsafe rc_json_integer(raw)
    }

    /// The UTF-8 bytes of a string, which cannot outlive the document; nil for any other type.
    var string: RawSpan? {
        @_lifetime(copy self)
        get {
            var count = 0
            guard let pointer = unsafe rc_json_string(raw, &count) else { return nil }
            let span = unsafe RawSpan(_unsafeStart: pointer, byteCount: count)
            return unsafe _overrideLifetime(span, copying: self)
        }
    }

    var text: String? { string?.text }

    @_lifetime(copy self)
    func element(_ index: Int) -> JSONNode? {
        guard let node = unsafe rc_json_element(raw, index) else { return nil }
        return unsafe _overrideLifetime(JSONNode(raw: node), copying: self)
    }

    @_lifetime(copy self)
    func member(_ name: StaticString) -> JSONNode? {
        let found = name.withUTF8Buffer { buffer -> OpaquePointer? in
            guard let base = buffer.baseAddress else { return nil }
            return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { pointer in
                unsafe rc_json_member(raw, pointer, buffer.count)
            }
        }
        guard let found = unsafe found else { return nil }
        return unsafe _overrideLifetime(JSONNode(raw: found), copying: self)
    }

    @_lifetime(copy self)
    func member(named name: String) -> JSONNode? {
        var name = name
        let found = name.withUTF8 { buffer -> OpaquePointer? in
            guard let base = buffer.baseAddress else { return nil }
            return unsafe base.withMemoryRebound(to: CChar.self, capacity: buffer.count) { pointer in
                unsafe rc_json_member(raw, pointer, buffer.count)
            }
        }
        guard let found = unsafe found else { return nil }
        return unsafe _overrideLifetime(JSONNode(raw: found), copying: self)
    }

    /// Calls `body` with each member of an object, in the order of the document, until it returns false.
    package func forEachMember(_ body: (_ name: RawSpan, _ value: borrowing JSONNode) -> Bool) {
        var cursor = unsafe rc_json_first(raw)
        while let place = unsafe cursor {
            var count = 0
            guard let name = unsafe rc_json_cursor_name(place, &count), let node = unsafe rc_json_cursor_node(place)
            else { return }
            guard unsafe body(RawSpan(_unsafeStart: name, byteCount: count), JSONNode(raw: node)) else { return }
            unsafe cursor = unsafe rc_json_next(raw, place)
        }
    }

    /// Calls `body` with each element of an array, until it returns false.
    package func forEachElement(_ body: (borrowing JSONNode) -> Bool) {
        for index in 0..<(isArray ? count : 0) {
            guard let element = element(index), body(element) else { return }
        }
    }

    /// A copy of the value that does not depend on the document.
    ///
    /// The parser bounds the depth of the recursion.
    var value: JSONValue {
        switch unsafe rc_json_node_type(raw) {
        case .RC_JSON_NULL: return .null
        case .RC_JSON_BOOLEAN: return unsafe .boolean(rc_json_boolean(raw))
        case .RC_JSON_INTEGER: return unsafe .integer(rc_json_integer(raw))
        case .RC_JSON_DECIMAL: return unsafe .decimal(rc_json_decimal(raw))
        case .RC_JSON_STRING: return .string(text ?? "")
        case .RC_JSON_ARRAY:
            var elements: [JSONValue] = []
            for index in 0..<count {
                guard let element = element(index) else { break }
                elements.append(element.value)
            }
            return .array(elements)
        case .RC_JSON_OBJECT: return .object(object)
        }
    }

    /// A copy of an object's members; empty for any other type.
    var object: JSONObject {
        var object = JSONObject()
        forEachMember { name, value in
            object.append(name.text, value.value)
            return true
        }
        return object
    }
}

extension JSONNode {
    var isNull: Bool { kind == .null }

    /// The instant of a number of milliseconds since 1970; nil for any other value.
    var time: Timestamp? {
        switch kind {
        case .integer(let milliseconds): Timestamp(milliseconds: milliseconds)
        case .decimal(let milliseconds): Timestamp(decimalMilliseconds: milliseconds)
        default: nil
        }
    }

    func has(_ name: StaticString) -> Bool { member(name) != nil }

    /// Whether there is a member with a name and a value other than null, which stands for an absent member.
    func hasValue(_ name: StaticString) -> Bool {
        guard let value = member(name) else { return false }
        return !value.isNull
    }
}
