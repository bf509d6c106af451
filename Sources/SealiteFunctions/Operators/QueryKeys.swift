import SealiteJSON

extension QueryFunction {
    /// The SQL functions that return a key for their arguments. The keys of `query_sort`, `query_key` and `query_place`
    /// are BLOBs that compare in the order of the values; those of `query_group` are equal for equal values.
    static let keys: [QueryFunction] = [
        .init("query_sort", 1...2) { call in try key(call, isCut: false) },
        .init("query_key", 1...2) { call in try key(call, isCut: true) },
        .init("query_group", 1) { call in
            switch call[0] {
            case .array(let content), .object(let content), .bigNumber(let content): try group(call, content)
            case let value: call.give(value)
            }
        },
        .init("query_place", 1...many) { call in
            call.giveKey(call.count * 9) { output in
                for index in 0..<call.count { place(call[index], &output) }
                return true
            }
        },
    ]

    /// Appends the index of an item so that bytes compare as the indexes: one byte below 240, otherwise the number of
    /// following bytes plus 239, and these bytes. Appends nothing for a value that isn't an index.
    private static func place(_ value: FunctionValue, _ output: inout OutputSpan<UInt8>) {
        guard case .integer(let index) = value, index >= 0 else { return }
        guard index >= 240 else { return output.append(UInt8(index)) }
        let count = (64 - index.leadingZeroBitCount + 7) / 8
        output.append(UInt8(239 + count))
        for byte in stride(from: count - 1, through: 0, by: -1) {
            output.append(UInt8(truncatingIfNeeded: index >> Int64(byte * 8)))
        }
    }

    /// Sets the result to the key of the first argument, a BLOB that compares in the order of values, encoded by
    /// `ValueKey`. A key that is too long for an index is truncated if `isCut` is true.
    private static func key(_ call: QueryCall, isCut: Bool) throws {
        guard let collation = call.collation(1) else { return }
        if !isCut { try call.charge(bytes: call[0].byteCount) }
        if case .string(let text) = call[0], !collation.isBinary {
            return collatedKey(call, text, collation, isCut ? ValueKey.maximumByteCount : Int.max)
        }
        unsafe call[0].withElement { element, bytes in
            // A byte of an element takes at most three bytes in its key, and the shortest key has four.
            let capacity = isCut ? ValueKey.maximumByteCount : bytes.count * 3 + 32
            call.giveKey(capacity) { output in
                unsafe ValueKey(.queries).append(element, in: bytes.span, to: &output)
            }
        }
    }

    /// Sets the result to the key of a string under a collation, of at most `limit` bytes: the collation's key between
    /// the tag and the terminator of strings.
    private static func collatedKey(_ call: QueryCall, _ text: QueryBytes, _ collation: TextCollation, _ limit: Int) {
        var key = GrowingBytes(capacity: text.count * 2 + 16)
        collation.appendKey(of: unsafe text.payload.span, to: &key)
        var escaped = GrowingBytes(capacity: key.count + 16)
        escaped.append(0x60)
        for index in 0..<key.count {
            let byte = key[index]
            if byte > 1 {
                escaped.append(byte)
            } else {
                escaped.append(1)
                escaped.append(byte + 1)
            }
        }
        escaped.append(0)
        unsafe escaped.withUnsafeBytes { bytes in
            unsafe call.giveKey(UnsafeRawBufferPointer(rebasing: bytes.prefix(limit)))
        }
    }

    /// Sets the result to the canonical form of a container or a number, which is the same for all equal values; a
    /// damaged one is returned unchanged.
    private static func group(_ call: QueryCall, _ content: QueryBytes) throws {
        try call.charge(bytes: content.count)
        var canonical = CanonicalElement(capacity: content.count + 16)
        if canonical.append(content.element, unsafe content.payload.span, depth: 0) {
            try call.give(canonical.release())
        } else {
            call.give(call[0])
        }
    }
}

/// A writer of JSONB elements in a canonical form, in which equal values have equal bytes: members are sorted by name,
/// numbers have one form.
struct CanonicalElement: ~Copyable {
    private var output: JSONBWriter

    init(capacity: Int) { output = JSONBWriter(capacity: capacity) }

    /// Ends the writer and returns what was written.
    consuming func release() -> JSONBWriter { output }

    /// Appends an element in canonical form; `depth` is the number of arrays and objects that it is nested in.
    ///
    /// - Returns: false if the element is damaged or nested too deeply; the output is invalid then.
    mutating func append(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int) -> Bool {
        switch element.type {
        case JSONBType.integer, JSONBType.float: return appendNumber(element, bytes)
        case JSONBType.text, JSONBType.rawText: appendString(element, bytes)
        case JSONBType.array:
            guard depth < JSONB.maximumDepth else { return false }
            let begun = output.begin(guess: element.end - element.start)
            var offset = element.start
            while offset < element.end {
                guard let item = JSONBElement(bytes, at: offset, limit: element.end),
                    append(item, bytes, depth: depth + 1)
                else { return false }
                offset = item.end
            }
            output.end(JSONBType.array, begun)
        case JSONBType.object:
            guard depth < JSONB.maximumDepth else { return false }
            return appendObject(element, bytes, depth: depth)
        case JSONBType.null, JSONBType.true, JSONBType.false: output.append(element, in: bytes)
        default: return false
        }
        return true
    }

    private mutating func appendString(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>) {
        let type = JSONBWriter.stringType(bytes.extracting(element.start..<element.end))
        output.element(type, bytes, element.start, element.end)
    }

    private mutating func appendObject(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int) -> Bool {
        let members = SortedMembers(element, bytes)
        guard members.end == element.end else { return false }
        let begun = output.begin(guess: element.end - element.start)
        for index in 0..<members.count {
            guard let member = members.member(index, in: bytes), member.name.isString else { return false }
            appendString(member.name, bytes)
            guard append(member.value, bytes, depth: depth + 1) else { return false }
        }
        output.end(JSONBType.object, begun)
        return true
    }

    private mutating func appendNumber(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>) -> Bool {
        let text = bytes.extracting(element.start..<element.end)
        switch QueryNumber(text) {
        case .integer(let value): output.integer(value)
        case .double(let value):
            // An integer is written with the digits of its shortest text.
            if let whole = Self.integer(value) { output.integer(whole) } else { appendDouble(value) }
        case .big: appendExact(text)
        case nil: return false
        }
        return true
    }

    private mutating func appendDouble(_ value: Double) { output.ascii(JSONBType.float, value.description) }

    /// Returns the integer that a double's shortest text represents, if 64 bits can represent it.
    private static func integer(_ value: Double) -> Int64? {
        guard let nearest = Int64(exactly: value) else { return nil }
        guard nearest.magnitude > 1 << 53 else { return nearest }
        // For greater numbers, the shortest text has zeros in place of some digits of the double.
        var shortest = value.description
        return shortest.withUTF8 { utf8 in
            let text = unsafe utf8.span
            guard let number = DecimalText(text, 0..<text.count), case .small(let exponent) = number.exponent else {
                return nil
            }
            var digits = digits(number, text)
            guard digits.count <= exponent, exponent <= 19 else { return nil }
            digits += String(repeating: "0", count: exponent - digits.count)
            return Int64(number.isNegative ? "-" + digits : digits)
        }
    }

    private static func digits(_ number: DecimalText, _ text: borrowing Span<UInt8>) -> String {
        var digits = ""
        var offset = number.digits.lowerBound
        while let digit = number.nextDigit(text, &offset) { digits.unicodeScalars.append(Unicode.Scalar(digit + 0x30)) }
        return digits
    }

    /// Appends any number, given by its text, as 0.d₁d₂d₃… times a power of ten.
    private mutating func appendExact(_ text: borrowing Span<UInt8>) {
        guard let number = DecimalText(text, 0..<text.count) else { return }
        let exponent =
            switch number.exponent {
            case .small(let value): String(value)
            case .large(let isNegative, let digits): (isNegative ? "-" : "") + digits.map { String($0) }.joined()
            }
        let sign = number.isNegative ? "-" : ""
        output.ascii(JSONBType.float, "\(sign)0.\(Self.digits(number, text))e\(exponent)")
    }
}
