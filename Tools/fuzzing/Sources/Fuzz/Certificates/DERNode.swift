/// A DER value as a tree, whose structure can be changed before it is encoded again.
struct DERNode {
    enum Content {
        case bytes([UInt8])
        case nodes([DERNode])
    }

    /// The encoding of the length; only `shortest` is DER.
    enum LengthForm: Int, CaseIterable {
        case shortest
        case long
        case indefinite
    }

    var tag: UInt8
    var content: Content
    var lengthForm = LengthForm.shortest

    /// Returns the values in some bytes; nil if they are not DER. Octet strings that contain DER become trees too,
    /// because extensions have their values in them.
    static func nodes(in bytes: [UInt8]) -> [DERNode]? {
        DER.values(in: bytes)?.map { value in
            let content = DER.content(of: value)
            let isOpened = value[0] & 0x20 != 0 || value[0] == 0x04
            if isOpened, let inner = nodes(in: content), !inner.isEmpty {
                return DERNode(tag: value[0], content: .nodes(inner))
            }
            return DERNode(tag: value[0], content: .bytes(content))
        }
    }

    static func encode(_ nodes: [DERNode]) -> [UInt8] { [UInt8](nodes.map(\.encoded).joined()) }

    var encoded: [UInt8] {
        let inner: [UInt8] =
            switch content {
            case .bytes(let bytes): bytes
            case .nodes(let nodes): Self.encode(nodes)
            }
        switch lengthForm {
        case .shortest: return DER.value(tag, inner)
        case .long:
            return [tag, 0x83, 0, UInt8(truncatingIfNeeded: inner.count >> 8), UInt8(truncatingIfNeeded: inner.count)]
                + inner
        case .indefinite: return [tag | 0x20, 0x80] + inner + [0, 0]
        }
    }

    // MARK: Changes

    /// Changes one of the nodes, chosen by its position in a preorder traversal.
    static func edit(_ nodes: inout [DERNode], _ choices: inout Choices) {
        var rest = Int(choices.byte()) % max(count(of: nodes), 1)
        edit(&nodes, &rest, &choices)
    }

    private static func count(of nodes: [DERNode]) -> Int {
        nodes.reduce(0) { sum, node in
            if case .nodes(let inner) = node.content { sum + 1 + count(of: inner) } else { sum + 1 }
        }
    }

    private static func edit(_ nodes: inout [DERNode], _ rest: inout Int, _ choices: inout Choices) {
        for index in nodes.indices {
            if rest == 0 {
                rest = -1
                change(&nodes, index, &choices)
                return
            }
            rest -= 1
            if case .nodes(var inner) = nodes[index].content {
                edit(&inner, &rest, &choices)
                nodes[index].content = .nodes(inner)
                if rest < 0 { return }
            }
        }
    }

    private static func change(_ nodes: inout [DERNode], _ index: Int, _ choices: inout Choices) {
        switch choices.number(below: 8) {
        case 0: nodes[index].content = .bytes(choices.run())
        case 1: nodes.remove(at: index)
        case 2: nodes.insert(nodes[index], at: index)
        case 3: nodes[index].tag = choices.byte()
        case 4: nodes.swapAt(index, (index + 1) % nodes.count)
        case 5: nodes[index].lengthForm = choices.element(of: LengthForm.allCases)
        case 6: nodes.insert(DERNode(tag: choices.byte(), content: .bytes(choices.run())), at: index)
        default:
            var bytes = DER.content(of: nodes[index].encoded)
            guard !bytes.isEmpty else { return }
            bytes[Int(choices.byte()) % bytes.count] ^= choices.byte()
            nodes[index].content = .bytes(bytes)
        }
    }
}
