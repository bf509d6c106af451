import SealiteJSON

extension QueryFunction {
    /// The SQL functions on strings.
    static let strings: [QueryFunction] =
        [
            text("query_length") { call, text in
                call.give(Int64(unsafe QueryText.characterCount(text.payload.span, 0..<text.count)))
            },
            text("query_lower") { call, text in call.give(text.string.lowercased()) },
            text("query_upper") { call, text in call.give(text.string.uppercased()) },
            // Reverses grapheme clusters, so that accents stay on their letters.
            text("query_reverse") { call, text in call.give(String(text.string.reversed())) },
            .init("query_concat", 1...many, concat),
            .init("query_like", 2...4, like),
            .init("query_contains", 2...3, contains),
        ] + trims + parts

    /// Returns an SQL function with one argument, a string: its result is MISSING for MISSING, NULL for other types.
    private static func text(
        _ name: StaticString, _ body: @escaping @Sendable (QueryCall, QueryBytes) -> Void
    ) -> QueryFunction {
        .init(name, 1) { call in
            switch call[0] {
            case .missing: break
            case .string(let text): body(call, text)
            default: call.giveNull()
            }
        }
    }

    /// The SQL function `query_concat(a, …)`: the concatenated texts of all values; MISSING if one is MISSING.
    private static func concat(_ call: QueryCall) {
        guard !call.hasMissing() else { return }
        var text = GrowingBytes()
        for index in 0..<call.count {
            guard QueryText.append(call[index], to: &text) else { return call.giveNull() }
        }
        call.give(text: text)
    }

    /// The SQL function `query_like(s, pattern [, escape [, collation]])`: whether the whole string matches a pattern
    /// of LIKE.
    private static func like(_ call: QueryCall) {
        let (value, pattern) = (call[0], call[1])
        guard !value.isMissing, !pattern.isMissing else { return }
        guard let collation = call.collation(3) else { return }
        var escape: UInt8? = 0x5C
        switch call.optional(2) {
        case nil, .missing: break
        case .string(let text) where text.count == 0: escape = nil
        case .string(let text) where text.count == 1: escape = unsafe text.payload[0]
        default: return call.giveNull()
        }
        let matches = withText(value) { text in
            withText(pattern) { LikePattern($0, escape: escape).matches(text, collation) }
        }
        if let matches { call.give(matches) } else { call.giveNull() }
    }

    /// Returns the result of a test of the text of a string or a number; false for other types.
    private static func withText(_ value: QueryValue, _ test: (QueryBytes) -> Bool?) -> Bool? {
        switch value {
        case .string(let text), .bigNumber(let text): return test(text)
        case .integer, .double:
            return unsafe value.withElement { _, bytes in test(unsafe QueryBytes(bytes, JSONBType.text)) }
        default: return false
        }
    }

    /// The SQL function `query_contains(s, part [, collation])`: whether a string contains another one. A value that
    /// isn't a string counts as an empty one, which contains nothing and is contained in nothing.
    private static func contains(_ call: QueryCall) {
        guard !call.propagates(2), let collation = call.collation(2) else { return }
        guard let text = call[0].text, let part = call[1].text else { return call.give(false) }
        if let contains = collation.contains(part, in: text) { call.give(contains) } else { call.giveNull() }
    }
}
