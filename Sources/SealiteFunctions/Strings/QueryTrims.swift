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
