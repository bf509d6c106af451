/// Keys of values: bytes that compare in the order of the values (Documentation/Functions.md §3).
///
/// A key is truncated if its output is full. A truncated key keeps its order, but only complete keys show that two
/// values are equal.
package struct ValueKey: Sendable {
    /// The size in bytes at which a key is truncated, so that an entry of an index over one key fits in a page of 4096
    /// bytes.
    package static let maximumByteCount = 960

    private let order: ValueOrder

    package init(_ order: ValueOrder) { self.order = order }

    /// Appends the key of a value as far as the key fits; `nil` stands for a missing value.
    ///
    /// - Returns: false if damage was found in the element, of which only the part that fits is read; the output is
    ///   undefined then.
    package func append(
        _ element: JSONBElement?, in bytes: borrowing Span<UInt8>, to output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let element else {
            Self.put(0x10, &output)
            return true
        }
        return append(element, bytes, 0, &output)
    }

    @inline(__always)
    private static func put(_ byte: UInt8, _ output: inout OutputSpan<UInt8>) {
        if !output.isFull { output.append(byte) }
    }

    /// Returns the first byte of an element's key, which is computed from the rank of its type; the bytes have gaps for
    /// future types.
    @inline(__always)
    private func tag(_ element: JSONBElement) -> UInt8 {
        UInt8(truncatingIfNeeded: (order.rank(element) + 1) * 16)
    }

    private func append(
        _ element: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        Self.put(tag(element), &output)
        return appendUntagged(element, bytes, depth, &output)
    }

    private func appendUntagged(
        _ element: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard !output.isFull else { return true }
        switch element.type {
        case JSONBType.null: return element.start == element.end
        case JSONBType.true, JSONBType.false:
            if order.hasOneBoolean { Self.put(element.type == JSONBType.true ? 1 : 0, &output) }
            return element.start == element.end
        case JSONBType.integer, JSONBType.float:
            guard let number = DecimalText(bytes, element.start..<element.end) else { return false }
            Self.append(number, bytes, &output)
            return true
        case JSONBType.text, JSONBType.rawText:
            Self.append(text: bytes, element.start..<element.end, &output)
            return true
        case JSONBType.array where depth < JSONB.maximumDepth:
            return appendItems(element, bytes, depth + 1, &output)
        case JSONBType.object where depth < JSONB.maximumDepth:
            return switch order.objects {
            case .byName: appendByName(element, bytes, depth + 1, &output)
            case .asStored: appendAsStored(element, bytes, depth + 1, &output)
            }
        default: return false
        }
    }

    /// Appends the text in a range of bytes, terminated by 00; the bytes 00 and 01 in it are escaped as two bytes.
    package static func append(
        text bytes: borrowing Span<UInt8>, _ range: Range<Int>, _ output: inout OutputSpan<UInt8>
    ) {
        for index in range {
            guard !output.isFull else { return }
            let byte = bytes[index]
            if byte > 1 {
                output.append(byte)
            } else {
                output.append(1)
                put(byte + 1, &output)
            }
        }
        put(0, &output)
    }

    private func appendItems(
        _ array: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var offset = array.start
        while offset < array.end, !output.isFull {
            guard let item = JSONBElement(bytes, at: offset, limit: array.end), append(item, bytes, depth, &output)
            else {
                return false
            }
            offset = item.end
        }
        Self.put(0, &output)
        return true
    }

    private func appendAsStored(
        _ object: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var offset = object.start
        while offset < object.end, !output.isFull {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end), member.name.isString else {
                return false
            }
            Self.put(tag(member.value), &output)
            Self.append(text: bytes, member.name.start..<member.name.end, &output)
            guard appendUntagged(member.value, bytes, depth, &output) else { return false }
            offset = member.value.end
        }
        Self.put(0, &output)
        return true
    }

    private func appendByName(
        _ object: JSONBElement, _ bytes: borrowing Span<UInt8>, _ depth: Int, _ output: inout OutputSpan<UInt8>
    ) -> Bool {
        var (offset, count) = (object.start, 0)
        while offset < object.end {
            guard let member = ObjectMember(bytes, at: offset, limit: object.end), member.name.isString else {
                return false
            }
            (offset, count) = (member.value.end, count + 1)
        }
        Self.append(count: count, &output)
        guard count > 0, !output.isFull else { return true }
        let members = SortedMembers(object, bytes)
        var previous: JSONBElement?
        for index in 0..<members.count where !output.isFull {
            guard let member = members.member(index, in: bytes) else { return false }
            // A name that occurs twice is refused, since the order of its values is undetermined.
            if let previous, ValueOrder.comparePayloads(previous, bytes, member.name, bytes) == 0 { return false }
            previous = member.name
            Self.append(text: bytes, member.name.start..<member.name.end, &output)
            guard append(member.value, bytes, depth, &output) else { return false }
        }
        return true
    }
}

// MARK: - Numbers

extension ValueKey {
    /// The exponents that are encoded in one byte.
    private static var shortExponents: ClosedRange<Int> { -61...62 }

    @inline(__always)
    private static func append(
        _ number: DecimalText, _ bytes: borrowing Span<UInt8>, _ output: inout OutputSpan<UInt8>
    ) {
        guard !number.digits.isEmpty else { return put(0x80, &output) }
        // Inverted bytes reverse the order for negative numbers.
        let sign: UInt8 = number.isNegative ? 0xFF : 0
        if case .small(let exponent) = number.exponent, shortExponents.contains(exponent) {
            put(UInt8(truncatingIfNeeded: 0xBF + exponent) ^ sign, &output)
        } else {
            append(long: number.exponent, sign, &output)
        }
        var offset = number.digits.lowerBound
        var next = number.nextDigit(bytes, &offset)
        while let digit = next, !output.isFull {
            let pair = digit * 10 + (number.nextDigit(bytes, &offset) ?? 0)
            next = number.nextDigit(bytes, &offset)
            put((pair * 2 + (next == nil ? 0 : 1)) ^ sign, &output)
        }
    }

    private static func append(long exponent: PowerOfTen, _ sign: UInt8, _ output: inout OutputSpan<UInt8>) {
        let (isNegative, digits): (Bool, [UInt8]) =
            switch exponent {
            case .small(let value): (value < 0, String(value.magnitude).utf8.map { $0 - 0x30 })
            case .large(let isNegative, let digits): (isNegative, digits)
            }
        put((isNegative ? 0x81 : 0xFE) ^ sign, &output)
        let mask = isNegative ? ~sign : sign
        append(count: digits.count, inverting: mask, &output)
        for digit in digits { put(digit ^ mask, &output) }
    }

    /// Appends a count: as one byte if it is below 248, otherwise as the number of following bytes, added to 247, and
    /// these bytes. All bytes are XORed with `mask`.
    private static func append(count: Int, inverting mask: UInt8 = 0, _ output: inout OutputSpan<UInt8>) {
        guard count >= 0xF8 else { return put(UInt8(truncatingIfNeeded: count) ^ mask, &output) }
        let byteCount = (count.bitWidth - count.leadingZeroBitCount + 7) / 8
        put(UInt8(truncatingIfNeeded: 0xF7 + byteCount) ^ mask, &output)
        for index in (0..<byteCount).reversed() {
            put(UInt8(truncatingIfNeeded: count >> (index * 8)) ^ mask, &output)
        }
    }
}
