import SealiteJSON

extension QueryFunction {
    /// The SQL functions that cut, search, split, repeat and pad strings.
    static let parts: [QueryFunction] = [
        .init("query_substr", 2...3, substring),
        .init("query_position", 2, position),
        .init("query_replace", 3...4, replace),
        .init("query_split", 1...2, split),
        .init("query_repeat", 2, repeated),
        .init("query_lpad", 2...3) { call in try pad(call, isBefore: true) },
        .init("query_rpad", 2...3) { call in try pad(call, isBefore: false) },
    ]

    /// The SQL function `query_substr(s, from [, count])`: the characters, at most `count`, of a string from an index
    /// on, counted from 0, or from the end if negative. NULL if the index is out of range.
    private static func substring(_ call: QueryCall) throws {
        guard !call.propagates(3) else { return }
        guard let text = call[0].text, let from = call[1].wholeNumber else { return call.giveNull() }
        let bytes = unsafe text.payload.span
        try call.charge(bytes: text.count * 2)
        let count = ValueText.characterCount(bytes, 0..<text.count)
        let start = from < 0 ? from &+ Int64(count) : from
        guard start >= 0, start < count else { return call.giveNull() }
        let first = ValueText.offset(bytes, ofCharacter: Int(start))
        guard let length = call.optional(2) else { return call.give(text, first..<text.count) }
        guard let length = length.wholeNumber, length >= 0 else { return call.giveNull() }
        let rest = bytes.extracting(first..<text.count)
        let end = first + ValueText.offset(rest, ofCharacter: Int(min(length, Int64(text.count))))
        call.give(text, first..<end)
    }

    /// The SQL function `query_position(s, part)`: the number of characters before the first occurrence of the part; -1
    /// if it doesn't occur.
    private static func position(_ call: QueryCall) throws {
        guard !call.propagates(2) else { return }
        guard let text = call[0].text, let part = call[1].text else { return call.giveNull() }
        guard part.count > 0 else { return call.give(0 as Int64) }
        try call.charge(bytes: text.count)
        guard let found = ValueText.find(part, in: text) else { return call.give(-1 as Int64) }
        call.give(Int64(unsafe ValueText.characterCount(text.payload.span, 0..<found)))
    }

    /// The SQL function `query_replace(s, part, by [, count])`: replaces the first `count` occurrences, or all without
    /// a count or with a negative one.
    private static func replace(_ call: QueryCall) throws {
        guard !call.propagates(4) else { return }
        guard let text = call[0].text, let part = call[1].text, let by = call[2].text else { return call.giveNull() }
        var left = Int64.max
        if let limit = call.optional(3) {
            guard let number = limit.wholeNumber else { return call.giveNull() }
            if number >= 0 { left = number }
        }
        var result = GrowingBytes(capacity: text.count)
        var offset = 0
        let (bytes, replacement) = unsafe (text.payload.span, by.payload.span)
        while left > 0, let found = ValueText.find(part, in: text, from: offset) {
            guard result.count + (found - offset) + by.count <= limit(text.count) else { return call.giveNull() }
            try call.charge(bytes: found - offset + by.count)
            result.append(bytes, offset, found)
            result.append(replacement)
            offset = found + part.count
            left -= 1
        }
        result.append(bytes, offset, text.count)
        try call.give(text: result)
    }

    /// Returns the maximum size in bytes of the result for a text of a size in bytes.
    private static func limit(_ byteCount: Int) -> Int { max(byteCount, ValueText.maximumByteCount) }

    /// The SQL function `query_split(s [, separator])`: an array of the parts of the string between separators. Without
    /// a separator argument, parts are separated by white space; with an empty separator, each character is a part.
    private static func split(_ call: QueryCall) throws {
        guard !call.propagates(2) else { return }
        guard let text = call[0].text else { return call.giveNull() }
        let bytes = unsafe text.payload.span
        var writer = JSONBWriter(capacity: text.count * 2 + 16)
        let begun = writer.begin(guess: text.count)
        if let separator = call.optional(1) {
            guard let separator = separator.text else { return call.giveNull() }
            var offset = 0
            while let end = nextCut(separator, text, offset) {
                try call.charge(bytes: end - offset)
                writer.string(bytes, offset, end)
                offset = end + separator.count
            }
            if offset < text.count || separator.count > 0 { writer.string(bytes, offset, text.count) }
        } else {
            let string = text.string
            var part = String.UnicodeScalarView()
            for scalar in string.unicodeScalars {
                guard scalar.properties.isWhitespace else {
                    part.append(scalar)
                    continue
                }
                try call.charge(1)
                if !part.isEmpty { writer.string(String(part)) }
                part = String.UnicodeScalarView()
            }
            if !part.isEmpty { writer.string(String(part)) }
        }
        writer.end(JSONBType.array, begun)
        try call.give(writer)
    }

    /// Returns the end of the part of a split text that starts at an offset, in bytes; nil for the last part.
    private static func nextCut(_ separator: QueryBytes, _ text: QueryBytes, _ offset: Int) -> Int? {
        guard separator.count == 0 else { return ValueText.find(separator, in: text, from: offset) }
        let end = unsafe ValueText.next(text.payload.span, offset)
        return end < text.count ? end : nil
    }

    /// The SQL function `query_repeat(s, count)`: the string, repeated `count` times.
    private static func repeated(_ call: QueryCall) throws {
        guard !call.propagates(2) else { return }
        guard let text = call[0].text, let count = call[1].wholeNumber, count >= 0 else { return call.giveNull() }
        let (size, isTooLarge) = count.multipliedReportingOverflow(by: Int64(text.count))
        guard !isTooLarge, size <= limit(text.count) else { return call.giveNull() }
        try call.charge(bytes: Int(size))
        var result = GrowingBytes(capacity: Int(size))
        if text.count > 0 {
            for _ in 0..<count { result.append(unsafe text.payload.span) }
        }
        try call.give(text: result)
    }

    /// The SQL functions `query_lpad(s, count [, pad])` and `query_rpad`: the string with exactly `count` characters,
    /// truncated, or padded at the start or the end.
    private static func pad(_ call: QueryCall, isBefore: Bool) throws {
        guard !call.propagates(3) else { return }
        guard let text = call[0].text, let count = call[1].wholeNumber, count >= 0 else { return call.giveNull() }
        var filling: QueryBytes?
        if let given = call.optional(2) {
            guard let pad = given.text, pad.count > 0 else { return call.giveNull() }
            filling = pad
        }
        let bytes = unsafe text.payload.span
        try call.charge(bytes: text.count)
        let missing = count - Int64(ValueText.characterCount(bytes, 0..<text.count))
        guard missing > 0 else { return call.give(text, 0..<ValueText.offset(bytes, ofCharacter: Int(count))) }
        guard missing <= ValueText.maximumByteCount / 4 else { return call.giveNull() }
        try call.charge(bytes: Int(missing))
        var result = GrowingBytes(capacity: text.count + Int(missing))
        if !isBefore { result.append(bytes) }
        fill(Int(missing), filling, &result)
        if isBefore { result.append(bytes) }
        try call.give(text: result)
    }

    /// Appends `count` characters: those of a text, which is repeated as often as necessary, or spaces for nil.
    private static func fill(_ count: Int, _ filling: QueryBytes?, _ result: inout GrowingBytes) {
        guard let filling else {
            for _ in 0..<count { result.append(0x20) }
            return
        }
        let bytes = unsafe filling.payload.span
        var offset = 0
        for _ in 0..<count {
            let end = ValueText.next(bytes, offset)
            result.append(bytes, offset, end)
            offset = end < bytes.count ? end : 0
        }
    }
}

extension JSONBWriter {
    /// Appends a range of UTF-8 as a string.
    fileprivate mutating func string(_ utf8: borrowing Span<UInt8>, _ start: Int, _ end: Int) {
        element(Self.stringType(utf8.extracting(start..<end)), utf8, start, end)
    }
}
