import CSQLite
import SealiteJSON

/// The object that `query_match` translates search texts with, created once for all rows of a statement.
private final class FullTextTranslator {
    let tokenizer: WordTokenizer?

    init(_ settings: String) { tokenizer = (try? WordSettings(text: settings)).map { WordTokenizer($0) } }
}

extension QueryFunction {
    /// The SQL functions for full-text search that aren't functions of FTS5.
    static let fullText: [QueryFunction] = [
        .init("query_strings", 1) { call in
            switch call[0] {
            case .string: call.give(call[0])
            case .array(let content), .object(let content):
                var text = GrowingBytes()
                try appendStrings(of: content, to: &text, depth: 0, call)
                if text.count > 0 { try call.give(text: text) }
            default: break
            }
        },
        .init("query_match", 3...QueryFunction.many) { call in
            guard case .string(let settings) = call[1] else {
                return call.fail("the second argument of query_match(), the tokenizer's settings, must be a string")
            }
            let translator = call.cached(1) { FullTextTranslator(settings.string) }
            guard let tokenizer = translator.tokenizer else {
                return call.fail("the second argument of query_match() has unknown settings of the tokenizer")
            }
            guard let text = text(of: call[0]) else { return call.give(FullTextQuery.nothing) }
            let names = (2..<call.count).map { call[$0].text?.string ?? "" }
            do throws(FullTextQuery.Failure) {
                call.give(try FullTextQuery(text, columns: names, tokenizer).expression)
            } catch {
                call.fail("the text of MATCH, character \(error.position): \(error.reason)")
            }
        },
    ]

    /// The maximum nesting depth of stored JSON.
    private static let maximumDepth = 500

    /// Returns the search text that is the value of an argument, a string or a number; nil for other types.
    private static func text(of value: FunctionValue) -> String? {
        switch value {
        case .string(let text), .bigNumber(let text): text.string
        case .integer(let number): number.description
        case .double(let number): number.description
        default: nil
        }
    }

    /// Appends the strings of an array or an object, depth first, separated by line feeds.
    private static func appendStrings(
        of content: QueryBytes, to text: inout GrowingBytes, depth: Int, _ call: QueryCall
    ) throws {
        guard depth < maximumDepth else { return }
        var elements = QueryElements(content)
        while let element = elements.next() {
            switch element.value {
            case .string(let string):
                try call.charge(bytes: string.count)
                if text.count > 0 { text.append(0x0A) }
                text.append(unsafe string.payload.span)
            case .array(let inner), .object(let inner):
                try call.charge(1)
                try appendStrings(of: inner, to: &text, depth: depth + 1, call)
            default: break
            }
        }
    }
}
