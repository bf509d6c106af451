package import SealiteJSON

/// Keys of values: bytes that compare in MongoDB's order of the values (Documentation/Values.md §4.1); 1, 1.0 and the
/// decimal 1.00 have one key.
///
/// A key is truncated if its output is full. A truncated key keeps its order, but only complete keys show that two
/// values are equal.
package enum OrderKey {
    /// The size in bytes at which a key is truncated, equal to that of `ValueKey`.
    package static let maximumByteCount = ValueKey.maximumByteCount

    /// Appends the key of a value as far as the key fits; `nil` stands for a missing value.
    package static func append(_ value: BSON?, to output: inout OutputSpan<UInt8>) {
        append(tagOf: value?.type ?? .undefined, &output)
        if let value { appendContent(of: value, &output) }
    }

    /// Appends the key of a stored value as far as the key fits; `nil` stands for a missing value.
    ///
    /// - Returns: false if the element isn't valid in a document's stored body; the output is undefined then.
    package static func append(
        _ element: JSONBElement?, in bytes: borrowing Span<UInt8>, to output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let element else {
            append(tagOf: .undefined, &output)
            return true
        }
        let stored = StoredValue(element, in: bytes)
        return append(stored, element, bytes, depth: 0, &output)
    }

    /// Returns the key of a value, truncated at `maximumByteCount` bytes; `nil` stands for a missing value.
    package static func bytes(of value: BSON?) -> [UInt8] {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maximumByteCount) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            append(value, to: &output)
            let count = unsafe output.finalize(for: buffer)
            return unsafe Array(UnsafeBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// Returns the tag, the byte with which the keys of a type start. Types with the same rank in MongoDB's order, such
    /// as all numeric types, have the same tag.
    package static func tag(of type: BSONType) -> UInt8 { UInt8(type.rank) }

    // MARK: - Stored values

    private static func append(
        _ stored: StoredValue, _ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int,
        _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let type = stored.type else { return false }
        append(tagOf: type, &output)
        return appendContent(of: stored, element, bytes, depth: depth, &output)
    }

    private static func appendContent(
        of stored: StoredValue, _ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int,
        _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard !output.isFull else { return true }
        switch stored {
        case .null: break
        case .bool(let value): put(value ? 1 : 0, &output)
        case .number(let number): append(number.value, &output)
        case .string: ValueKey.append(text: bytes, element.start..<element.end, &output)
        case .wrapped(let value): appendContent(of: value, &output)
        case .array where depth < JSONB.maximumDepth:
            return appendItems(of: element, bytes, depth: depth + 1, &output)
        case .document where depth < JSONB.maximumDepth:
            return appendMembers(of: element, bytes, depth: depth + 1, &output)
        case .array, .document, .damaged: return false
        }
        return true
    }

    private static func appendItems(
        of array: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var offset = array.start
        while offset < array.end, !output.isFull {
            guard let item = JSONBElement(bytes, at: offset, limit: array.end),
                append(StoredValue(item, in: bytes), item, bytes, depth: depth, &output)
            else { return false }
            offset = item.end
        }
        put(0, &output)
        return true
    }

    private static func appendMembers(
        of object: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var offset = object.start
        while offset < object.end, !output.isFull {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end), member.name.isString else {
                return false
            }
            let stored = StoredValue(member.value, in: bytes)
            guard let type = stored.type else { return false }
            append(tagOf: type, &output)
            ValueKey.append(text: bytes, member.name.start..<member.name.end, &output)
            guard appendContent(of: stored, member.value, bytes, depth: depth, &output) else { return false }
            offset = member.value.end
        }
        put(0, &output)
        return true
    }
}

extension OrderKey {
    /// Appends the part of a value's key that follows the tag, the key's first byte.
    static func appendContent(of value: BSON, _ output: inout OutputSpan<UInt8>) {
        guard !output.isFull else { return }
        if let number = NumericValue(value) { return append(number, &output) }
        switch value {
        case .string(let text), .symbol(let text), .code(let text): append(text: text, &output)
        case .document(let document): append(document, &output)
        case .array(let items):
            for item in items where !output.isFull { append(item, to: &output) }
            put(0, &output)
        case .codeWithScope(let text, let scope):
            append(text: text, &output)
            append(scope, &output)
        case .binary(let binary): append(binary, &output)
        case .objectID(let id): append(id, &output)
        case .bool(let value): put(value ? 1 : 0, &output)
        case .datetime(let date): append(UInt64(bitPattern: date.milliseconds) ^ 1 << 63, &output)
        case .timestamp(let timestamp):
            append(timestamp.seconds, &output)
            append(timestamp.increment, &output)
        case .regex(let regex):
            append(text: regex.pattern, &output)
            append(text: regex.options, &output)
        case .dbPointer(let pointer):
            append(UInt32(clamping: pointer.collection.utf8.count), &output)
            append(text: pointer.collection, &output)
            append(pointer.id, &output)
        default: break
        }
    }

    private static func append(_ document: MongoDocument, _ output: inout OutputSpan<UInt8>) {
        for member in document where !output.isFull {
            append(tagOf: member.value.type, &output)
            append(text: member.key, &output)
            appendContent(of: member.value, &output)
        }
        put(0, &output)
    }

    private static func append(_ binary: Binary, _ output: inout OutputSpan<UInt8>) {
        append(UInt32(clamping: binary.orderedByteCount), &output)
        put(binary.subtype, &output)
        for byte in binary.bytes where !output.isFull { put(byte, &output) }
    }

    private static func append(_ id: ObjectID, _ output: inout OutputSpan<UInt8>) {
        append(id.high, &output)
        append(id.low, &output)
    }

    // MARK: - Numbers

    /// Appends the key of a number: the greatest double that isn't above the number, then a byte 0 if this double is
    /// equal to the number, otherwise a byte 1 and the decimal digits of the number.
    static func append(_ number: NumericValue, _ output: inout OutputSpan<UInt8>) {
        // NaN has all bits 0, which no other double's key has.
        guard !number.isNaN else {
            append(UInt64(0), &output)
            return put(0, &output)
        }
        let near = number.nearestDouble
        let order = NumericValue.double(near).compared(to: number)
        let floor = order > 0 ? near.nextDown : near
        let bits = (floor == 0 ? 0 : floor).bitPattern
        append(bits >> 63 == 1 ? ~bits : bits | 1 << 63, &output)
        put(order == 0 ? 0 : 1, &output)
        if order != 0 { append(digitsOf: number, &output) }
    }

    private static func append(digitsOf number: NumericValue, _ output: inout OutputSpan<UInt8>) {
        let decimal: Decimal128 =
            switch number {
            case .integer(let value): Decimal128(value)
            case .decimal(let value): value
            case .double: .nan
            }
        guard let parts = decimal.parts, !parts.isZero else { return }
        // The coefficient is scaled so that it has 34 digits, and the exponents, then the coefficients, can be
        // compared.
        let places = DecimalParts.digitCount - PowersOfTen.digitCount(of: parts.coefficient)
        let coefficient = parts.coefficient * PowersOfTen.value(places)
        let exponent = UInt16(truncatingIfNeeded: parts.adjustedExponent + 2 * DecimalParts.bias)
        // Inverted bytes reverse the order for negative numbers.
        append(parts.isNegative ? ~exponent : exponent, &output)
        append(parts.isNegative ? ~coefficient : coefficient, &output)
    }

    // MARK: - Pieces

    /// Appends a byte if the output isn't full.
    static func put(_ byte: UInt8, _ output: inout OutputSpan<UInt8>) {
        if !output.isFull { output.append(byte) }
    }

    /// Appends the tag, the byte with which the keys of a type start.
    static func append(tagOf type: BSONType, _ output: inout OutputSpan<UInt8>) { put(tag(of: type), &output) }

    /// Appends the bytes of a number in big-endian order.
    private static func append(_ number: some FixedWidthInteger & UnsignedInteger, _ output: inout OutputSpan<UInt8>) {
        for shift in stride(from: type(of: number).bitWidth - 8, through: 0, by: -8) {
            put(UInt8(truncatingIfNeeded: number >> shift), &output)
        }
    }

    private static func append(text: String, _ output: inout OutputSpan<UInt8>) {
        let utf8 = text.utf8.span
        ValueKey.append(text: utf8, 0..<utf8.count, &output)
    }
}

extension NumericValue {
    /// The nearest double, or one next to it.
    fileprivate var nearestDouble: Double {
        switch self {
        case .integer(let value): Double(value)
        case .double(let value): value
        case .decimal(let value): value.doubleValue
        }
    }
}
