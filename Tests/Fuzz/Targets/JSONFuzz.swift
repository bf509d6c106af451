@testable import SealiteJSON

/// JSON text, under the rules of documents, messages and records.
final class JSONFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        try checkStored(input)
        for rules in [JSONRules.documents, .messages, .records] { try checkReaders(input, rules) }
    }

    /// A text that is stored comes back as the same bytes, and what isn't stored is no JSON, or has a name twice.
    private func checkStored(_ text: [UInt8]) throws(BrokenProperty) {
        let skipped = Self.skip(text, .documents)
        do throws(JSONError) {
            let stored = try JSONB.parse(text, requiresObject: false)
            try Self.check(stored)
        } catch {
            guard error.code != .wrongKind, error.code == .duplicateName || error == skipped else {
                throw BrokenProperty("a text is refused with \(error), and skipped with \(String(describing: skipped))")
            }
            return
        }
        try BrokenProperty.unless(skipped == nil, "a text is stored that isn't JSON to the skipping reader")
        guard let stored = try? JSONB.parse(text, requiresObject: false) else { return }
        try BrokenProperty.unless(JSONBValidator.isValid(stored, requiresObject: false), "invalid JSONB was made")
        for order in [JSONBSerializer.Order.stored, .canonical] {
            guard let written = try? JSONBSerializer.text(of: stored.span, order: order),
                let again = try? JSONB.parse(written, requiresObject: false),
                let twice = try? JSONBSerializer.text(of: again.span, order: order)
            else { throw BrokenProperty("a stored text can't be written and read") }
            try BrokenProperty.unless(written == twice, "a stored text is written otherwise the second time")
            try BrokenProperty.unless(order == .canonical || again == stored, "a stored text reads as another")
        }
    }

    /// Every number of a body has its place among numbers.
    private static func check(_ stored: [UInt8]) throws(JSONError) {
        guard let root = JSONBElement(root: stored.span), root.isNumber else { return }
        guard let number = JSONNumber(json: Array(stored[root.start..<root.end])), number == number,
            ValueOrder.queries.compare(root, in: stored.span, root, in: stored.span) == 0
        else { throw JSONError(.wrongKind, at: 0, "a number isn't itself") }
    }

    private static func skip(_ text: [UInt8], _ rules: JSONRules) -> JSONError? {
        var scanner = JSONScanner(rules)
        do throws(JSONError) {
            scanner.skipSpace(text.span)
            try scanner.skip(text.span)
            try scanner.end(text.span)
            return nil
        } catch {
            return error
        }
    }

    /// Checks that a text can be read value by value just where it can be skipped as a whole.
    private func checkReaders(_ text: [UInt8], _ rules: JSONRules) throws(BrokenProperty) {
        var reader = JSONMemberReader<JSONError>(text, rules: rules)
        var walked: JSONError?
        do throws(JSONError) {
            try Self.walk(&reader)
            try reader.end()
        } catch {
            walked = error
        }
        if walked?.code == .duplicateName { return }
        let skipped = Self.skip(text, rules)
        try BrokenProperty.unless(
            (walked == nil) == (skipped == nil),
            "walked: \(String(describing: walked)), skipped: \(String(describing: skipped))")
    }

    private static func walk(_ reader: inout JSONMemberReader<JSONError>) throws(JSONError) {
        switch try reader.peek() {
        case .array: try reader.array(limit: .max, walk)
        case .object: try reader.object { (_, reader) throws(JSONError) in try walk(&reader) }
        case .string: _ = try reader.string()
        default: _ = try reader.rawValue()
        }
    }

    /// First inputs: every construct of the grammar, and what is next to it.
    static let seeds: [[UInt8]] = [
        #"{"a":[1,-2.5e3,"a\u00e4\n",{"b":[true,false,null],"c":{}},[[],""]],"é":"日本😀"}"#,
        #"["\ud83d\ude00","\ud83d","\"\\\/\b\f\n\r\t\u007f",0,-0,1.50,1E5,12345678901234567890]"#,
        #"{"a":1,"b":{"a":2,"\u0061":3}}"#, " [ 1 , { \"x\" : [ ] } ]\n", "[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]",
        "1e99999999999999999999",
        "\"\u{7f}\u{e9}\"", "[01]", "{\"a\":1,}", "tru",
    ].map { Array($0.utf8) }
}
