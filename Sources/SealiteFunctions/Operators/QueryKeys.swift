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
    private static func place(_ value: QueryValue, _ output: inout OutputSpan<UInt8>) {
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
