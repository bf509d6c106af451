import SealiteTestSupport

@testable import SealiteJSON

/// A decoded value: the oracle that edits in place are held against.
indirect enum Tree: Equatable {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([Tree])
    case object([Member])

    struct Member: Equatable {
        var name: String
        var value: Tree
    }

    /// The value of valid JSONB.
    init?(_ bytes: [UInt8]) {
        guard let root = JSONBElement(root: bytes.span), root.end == bytes.count else { return nil }
        self.init(root, bytes)
    }

    private init?(_ element: JSONBElement, _ bytes: [UInt8]) {
        let text = String(decoding: bytes[element.start..<element.end], as: UTF8.self)
        switch element.type {
        case JSONBType.null: self = .null
        case JSONBType.true: self = .boolean(true)
        case JSONBType.false: self = .boolean(false)
        case JSONBType.integer, JSONBType.float: self = .number(text)
        case JSONBType.text, JSONBType.rawText: self = .string(text)
        default:
            var elements: [JSONBElement] = []
            var offset = element.start
            while offset < element.end, let item = JSONBElement(bytes.span, at: offset, limit: element.end) {
                elements.append(item)
                offset = item.end
            }
            let values = elements.compactMap { Tree($0, bytes) }
            guard values.count == elements.count else { return nil }
            if element.type == JSONBType.array {
                self = .array(values)
            } else {
                self = .object(
                    stride(from: 0, to: values.count, by: 2).map { index in
                        guard case .string(let name) = values[index] else { return Member(name: "", value: .null) }
                        return Member(name: name, value: values[index + 1])
                    })
            }
        }
    }

    /// The value's JSONB.
    var encoded: [UInt8] {
        var writer = JSONBWriter()
        write(to: &writer)
        return writer.bytes
    }

    private func write(to writer: inout JSONBWriter) {
        switch self {
        case .null: writer.null()
        case .boolean(let value): writer.boolean(value)
        case .number(let text):
            writer.ascii(
                text.utf8.contains { $0 == 0x2E || $0 | 0x20 == 0x65 } ? JSONBType.float : JSONBType.integer, text)
        case .string(let text): writer.string(text)
        case .array(let items):
            let begun = writer.begin(guess: 30)
            for item in items { item.write(to: &writer) }
            writer.end(JSONBType.array, begun)
        case .object(let members):
            let begun = writer.begin(guess: 30)
            for member in members {
                writer.string(member.name)
                member.value.write(to: &writer)
            }
            writer.end(JSONBType.object, begun)
        }
    }

    private static func sameBytes(_ left: String, _ right: String) -> Bool { ExactText.areSame(left, right) }

    /// Changes what is at a path; the closure gets the container that the last step is of.
    private mutating func change(_ path: ArraySlice<JSONBStep>, _ body: (inout Tree) -> Bool) -> Bool {
        guard let step = path.first else { return body(&self) }
        switch (self, step) {
        case (.array(var items), .item(let index)) where items.indices.contains(index):
            guard items[index].change(path.dropFirst(), body) else { return false }
            self = .array(items)
        case (.object(var members), .member(let name)):
            guard let index = members.firstIndex(where: { Self.sameBytes($0.name, name) }),
                members[index].value.change(path.dropFirst(), body)
            else { return false }
            self = .object(members)
        default: return false
        }
        return true
    }

    mutating func set(_ value: Tree, at path: [JSONBStep]) -> Bool {
        guard let last = path.last else {
            self = value
            return true
        }
        return change(path.dropLast()) { container in
            switch (container, last) {
            case (.array(var items), .item(let index)) where items.indices.contains(index):
                items[index] = value
                container = .array(items)
            case (.object(var members), .member(let name)):
                if let index = members.firstIndex(where: { Self.sameBytes($0.name, name) }) {
                    members[index].value = value
                } else {
                    members.append(Member(name: name, value: value))
                }
                container = .object(members)
            default: return false
            }
            return true
        }
    }

    mutating func remove(at path: [JSONBStep]) -> Bool {
        guard let last = path.last else { return false }
        return change(path.dropLast()) { container in
            switch (container, last) {
            case (.array(var items), .item(let index)) where items.indices.contains(index):
                items.remove(at: index)
                container = .array(items)
            case (.object(var members), .member(let name)):
                guard let index = members.firstIndex(where: { Self.sameBytes($0.name, name) }) else { return false }
                members.remove(at: index)
                container = .object(members)
            default: return false
            }
            return true
        }
    }

    mutating func insert(_ value: Tree, at path: [JSONBStep]) -> Bool {
        guard case .item(let index)? = path.last else { return false }
        return change(path.dropLast()) { container in
            guard case .array(var items) = container, index >= 0, index <= items.count else { return false }
            items.insert(value, at: index)
            container = .array(items)
            return true
        }
    }

    mutating func append(_ value: Tree, to path: [JSONBStep]) -> Bool {
        change(path[...]) { container in
            guard case .array(let items) = container else { return false }
            container = .array(items + [value])
            return true
        }
    }
}

/// Random values, and paths in them.
extension SeededRandom {
    mutating func text() -> String {
        let alphabet = ["a", "b", "é", "e\u{301}", "日", "😀", "\"", "\\", "\n", "\u{1}", "\u{7F}", "/"]
        return (0..<below(8)).map { _ in alphabet[below(alphabet.count)] }.joined()
    }

    mutating func tree(depth: Int) -> Tree {
        switch below(depth > 0 ? 8 : 5) {
        case 0: return .null
        case 1: return .boolean(below(2) == 0)
        case 2: return .number(String(Int64.random(in: .min ... .max, using: &self)))
        case 3: return .number("\(below(1000)).\(below(1000))e\(below(40) - 20)")
        // Long enough now and then for every width of header.
        case 4:
            return .string(
                below(40) == 0 ? String(repeating: "x", count: [11, 12, 255, 256, 70_000][below(5)]) : text())
        case 5: return .array((0..<below(6)).map { _ in tree(depth: depth - 1) })
        default:
            var members: [Tree.Member] = []
            for _ in 0..<below(8) {
                let name = text()
                if members.contains(where: { ExactText.areSame($0.name, name) }) { continue }
                members.append(Tree.Member(name: name, value: tree(depth: depth - 1)))
            }
            return .object(members)
        }
    }

    /// A path that mostly leads somewhere.
    mutating func path(in tree: Tree) -> [JSONBStep] {
        guard below(5) > 0 else {
            return below(8) == 0 ? [.item(below(3) - 1)] : below(8) == 0 ? [.member(text())] : []
        }
        switch tree {
        case .array(let items):
            let index = below(items.count + 1)
            return [.item(index)] + (index < items.count ? path(in: items[index]) : [])
        case .object(let members) where !members.isEmpty:
            let member = members[below(members.count)]
            return [.member(member.name)] + path(in: member.value)
        default: return []
        }
    }
}
