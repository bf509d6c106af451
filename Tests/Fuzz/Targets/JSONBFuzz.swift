@testable import SealiteJSON

/// Stored bodies, edits of them at a path, and their order.
///
/// The first byte is the edit, the second the number of steps, each of which is a byte: below 128 an index, else the name of a member by
/// its place. Then follow the new value, its length in front, and the body.
final class JSONBFuzz: FuzzTarget {
    init() throws {}

    private struct Input {
        var edit: UInt8
        var steps: [UInt8]
        var value: [UInt8]
        var body: [UInt8]

        init?(_ input: [UInt8]) {
            guard input.count > 3, input.count > 3 + Int(input[1]) else { return nil }
            edit = input[0] % 4
            let (stepsEnd, size) = (2 + Int(input[1]), Int(input[2 + Int(input[1])]))
            guard input.count >= stepsEnd + 1 + size else { return nil }
            steps = Array(input[2..<stepsEnd])
            value = Array(input[(stepsEnd + 1)..<(stepsEnd + 1 + size)])
            body = Array(input[(stepsEnd + 1 + size)...])
        }
    }

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let input = Input(input) else { return }
        let isSound = try checkBody(input.body)
        let isValueSound = try checkBody(input.value)
        try checkOrder(input)
        let path = Self.path(input.steps, in: input.body)
        let edited =
            switch input.edit {
            case 0: JSONBEdit.set(input.value, at: path, in: input.body)
            case 1: JSONBEdit.remove(at: path, in: input.body)
            case 2: JSONBEdit.insert(input.value, at: path, in: input.body)
            default: JSONBEdit.append(input.value, to: path, in: input.body)
            }
        guard isSound, isValueSound || input.edit == 1, let edited else { return }
        try BrokenProperty.unless(JSONBValidator.isValid(edited, requiresObject: false), "an edit makes invalid JSONB")
        try checkUndone(input, path, edited)
    }

    /// Returns whether bytes are a body in this package's own encoding, and checks that its text encodes to the same
    /// bytes.
    private func checkBody(_ bytes: [UInt8]) throws(BrokenProperty) -> Bool {
        let text = try? JSONBSerializer.text(of: bytes.span)
        _ = try? JSONBSerializer.text(of: bytes.span, order: .canonical)
        guard JSONBValidator.isValid(bytes, requiresObject: false) else { return false }
        guard let text, let again = try? JSONB.parse(text, requiresObject: false) else {
            throw BrokenProperty("a valid body has no text")
        }
        // Headers may be longer than they must be; everything else is the same.
        try BrokenProperty.unless(again.count <= bytes.count, "a body becomes longer when it is written anew")
        return again == bytes
    }

    private func checkOrder(_ input: Input) throws(BrokenProperty) {
        let (left, right) = (input.body.span, input.value.span)
        let (a, b) = (JSONBElement(root: left), JSONBElement(root: right))
        for order in [ValueOrder.queries, .mongo] {
            let forth = order.compare(a, in: left, b, in: right).signum()
            let back = order.compare(b, in: right, a, in: left).signum()
            try BrokenProperty.unless(forth == -back, "an order depends on which side a value stands")
            let same = order.compare(a, in: left, a, in: left)
            try BrokenProperty.unless(same == 0, "a value isn't in its own place")
        }
    }

    /// The inverse of an edit gives the body as it was.
    private func checkUndone(_ input: Input, _ path: [JSONBStep], _ edited: [UInt8]) throws(BrokenProperty) {
        let undone: [UInt8]?
        switch input.edit {
        case 0:
            let place = JSONBEdit.find(path, in: edited)
            let payload = JSONBElement(root: input.value.span)
            try BrokenProperty.unless(
                place?.type == payload?.type
                    && place.map { edited[$0.start..<$0.end] } == payload.map { input.value[$0.start..<$0.end] },
                "what was set isn't there")
            if let old = JSONBEdit.find(path, in: input.body) {
                undone = JSONBEdit.set(Self.element(old, input.body), at: path, in: edited)
            } else {
                undone = JSONBEdit.remove(at: path, in: edited)
            }
        case 1:
            guard case .item? = path.last, let old = JSONBEdit.find(path, in: input.body) else { return }
            undone = JSONBEdit.insert(Self.element(old, input.body), at: path, in: edited)
        case 2: undone = JSONBEdit.remove(at: path, in: edited)
        default:
            var count = 0
            while JSONBEdit.find(path + [.item(count)], in: edited) != nil { count += 1 }
            undone = JSONBEdit.remove(at: path + [.item(count - 1)], in: edited)
        }
        try BrokenProperty.unless(undone == input.body, "an edit that is undone leaves something")
    }

    /// An element with its header.
    private static func element(_ element: JSONBElement, _ bytes: [UInt8]) -> [UInt8] {
        var writer = JSONBWriter()
        writer.element(element.type, bytes.span, element.start, element.end)
        return writer.bytes
    }

    private static func path(_ steps: [UInt8], in bytes: [UInt8]) -> [JSONBStep] {
        var path: [JSONBStep] = []
        for step in steps {
            guard step >= 128 else {
                path.append(.item(Int(step)))
                continue
            }
            var name = "new"
            if let object = JSONBEdit.find(path, in: bytes), object.type == JSONBType.object {
                var offset = object.start
                for place in 0...Int(step - 128) {
                    guard let label = JSONBElement(bytes.span, at: offset, limit: object.end),
                        let value = JSONBElement(bytes.span, at: label.end, limit: object.end)
                    else { break }
                    if place == Int(step - 128) {
                        name = String(decoding: bytes[label.start..<label.end], as: UTF8.self)
                    }
                    offset = value.end
                }
            }
            path.append(.member(name))
        }
        return path
    }

    /// First inputs: each edit, at paths that lead somewhere and at others.
    static func seeds() throws -> [[UInt8]] {
        let bodies = [
            #"{"a":{"b":[1,{"c":"x"},3]},"é":true,"n":-1.5e3}"#, #"[[],[[0]],{"k":"0123456789a"}]"#, #"{"a\n":null}"#,
            "1",
        ]
        var seeds: [[UInt8]] = []
        for (index, text) in bodies.enumerated() {
            let body = try JSONB.parse(Array(text.utf8), requiresObject: false)
            let value = try JSONB.parse(Array(bodies[(index + 1) % bodies.count].utf8), requiresObject: false)
            for (edit, steps) in [(0, [128, 128, 1, 128]), (1, [128]), (2, [1, 0]), (3, [128, 128]), (0, [255])] {
                let head = [UInt8(edit), UInt8(steps.count)] + steps.map { UInt8($0) }
                seeds.append(head + [UInt8(value.count)] + value + body)
            }
        }
        return seeds
    }
}
