import SealiteJSON

extension QueryFunction {
    /// The SQL functions on strings.
    static let strings: [QueryFunction] =
        [
            text("query_length") { call, text in
                call.give(Int64(unsafe ValueText.characterCount(text.payload.span, 0..<text.count)))
            },
            text("query_lower") { call, text in try map(call, text) { $0.lowercased() } },
            text("query_upper") { call, text in try map(call, text) { $0.uppercased() } },
            // Reverses grapheme clusters, so that accents stay on their letters.
            text("query_reverse") { call, text in
                var reversed = GrowingBytes(capacity: text.count)
                for character in text.string.reversed() {
                    try call.charge(1)
                    for byte in character.utf8 { reversed.append(byte) }
                }
                try call.give(text: reversed)
            },
            .init("query_concat", 1...many, concat),
            .init("query_like", 2...4, like),
            .init("query_contains", 2...3, contains),
        ] + trims + parts

    /// Gives a text after a mapping that maps each Unicode scalar by itself, such as the one to lowercase.
    private static func map(_ call: QueryCall, _ text: QueryBytes, _ map: (String) -> String) throws {
        guard text.count <= QueryBytes.partByteCount else { return try call.give(text: text.mapped(call, map)) }
        try call.charge(bytes: text.count * 8)
        call.give(map(text.string))
    }

    /// Returns an SQL function with one argument, a string: its result is MISSING for MISSING, NULL for other types.
    private static func text(
        _ name: StaticString, _ body: @escaping @Sendable (QueryCall, QueryBytes) throws -> Void
    ) -> QueryFunction {
        .init(name, 1) { call in
            switch call[0] {
            case .missing: break
            case .string(let text):
                try call.charge(bytes: text.count)
                try body(call, text)
            default: call.giveNull()
            }
        }
    }

    /// The SQL function `query_concat(a, …)`: the concatenated texts of all values; MISSING if one is MISSING.
    private static func concat(_ call: QueryCall) throws {
        guard !call.hasMissing() else { return }
        let maximum = call.maximumByteCount
        // Of what isn't a string the length isn't known before.
        let size = (0..<call.count).reduce(0) { $0 + call[$1].byteCount }
        guard size <= maximum * 2 else { throw CallFailure.tooLarge }
        try call.checkMemory(min(size, maximum))
        var text = GrowingBytes(capacity: min(size, maximum))
        for index in 0..<call.count {
            let value = call[index]
            try call.charge(bytes: value.byteCount)
            guard text.count + (value.text?.count ?? 0) <= maximum else { throw CallFailure.tooLarge }
            guard ValueText.append(value, to: &text) else { return call.giveNull() }
        }
        try call.give(text: text)
    }

    /// The SQL function `query_like(s, pattern [, escape [, collation]])`: whether the whole string matches a pattern
    /// of LIKE.
    private static func like(_ call: QueryCall) throws {
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
        let matches = try withText(value) { text in
            try withText(pattern) { try LikePattern($0, escape: escape).matches(text, collation, call) }
        }
        if let matches { call.give(matches) } else { call.giveNull() }
    }

    /// Returns the result of a test of the text of a string or a number; false for other types.
    private static func withText(_ value: FunctionValue, _ test: (QueryBytes) throws -> Bool?) rethrows -> Bool? {
        switch value {
        case .string(let text), .bigNumber(let text): return try test(text)
        case .integer, .double:
            return try unsafe value.withElement { _, bytes in try test(unsafe QueryBytes(bytes, JSONBType.text)) }
        default: return false
        }
    }

    /// The SQL function `query_contains(s, part [, collation])`: whether a string contains another one. A value that
    /// isn't a string counts as an empty one, which contains nothing and is contained in nothing.
    private static func contains(_ call: QueryCall) throws {
        guard !call.propagates(2), let collation = call.collation(2) else { return }
        guard let text = call[0].text, let part = call[1].text else { return call.give(false) }
        try call.charge(bytes: text.count)
        if let contains = try collation.contains(part, in: text, call) { call.give(contains) } else { call.giveNull() }
    }
}

extension QueryBytes {
    /// The size of the parts, in bytes, in which a long text is mapped.
    fileprivate static let partByteCount = 1 << 16

    /// Returns the text after a mapping that maps each Unicode scalar by itself, such as the one to lowercase.
    fileprivate func mapped(_ call: QueryCall, _ map: (String) -> String) throws -> GrowingBytes {
        try call.checkMemory(count)
        var result = GrowingBytes(capacity: count)
        var start = 0
        while start < count {
            try call.charge(bytes: min(Self.partByteCount, count - start) * 8)
            let end = unsafe ValueText.next(payload.span, min(start + Self.partByteCount, count) - 1)
            let part = unsafe String(decoding: UnsafeBufferPointer(rebasing: payload[start..<end]), as: UTF8.self)
            var mapped = map(part)
            mapped.withUTF8 { unsafe result.append($0.span) }
            start = end
        }
        return result
    }
}

extension QueryFunction {
    /// The SQL functions that remove characters from the ends of a string.
    static let trims: [QueryFunction] = [
        .init("query_trim", 1...2) { call in try trim(call, start: true, end: true) },
        .init("query_ltrim", 1...2) { call in try trim(call, start: true, end: false) },
        .init("query_rtrim", 1...2) { call in try trim(call, start: false, end: true) },
    ]

    private static func trim(_ call: QueryCall, start: Bool, end: Bool) throws {
        guard !call.propagates(2) else { return }
        guard let text = call[0].text else { return call.give(call[0]) }
        try call.charge(bytes: text.count * 4)
        var set: Set<Unicode.Scalar>?
        if let characters = call.optional(1) {
            guard let given = characters.text else { return call.giveNull() }
            set = Set(given.string.unicodeScalars)
        }
        var rest = text.string.unicodeScalars[...]
        if start { rest = rest.drop { isTrimmed($0, set) } }
        if end {
            while let last = rest.last, isTrimmed(last, set) { rest.removeLast() }
        }
        call.give(String(rest))
    }

    private static func isTrimmed(_ character: Unicode.Scalar, _ set: Set<Unicode.Scalar>?) -> Bool {
        // U+180E was white space until Unicode 6.3.
        set?.contains(character) ?? (character.properties.isWhitespace || character.value == 0x180E)
    }
}
