/// Serializes JSONB as compact JSON text in UTF-8.
package struct JSONBSerializer: ~Copyable {
    /// The order of the members of objects in the text.
    package enum Order: Sendable {
        /// The order in which the JSONB contains the members.
        case stored
        /// The order of the UTF-8 bytes of the names, with numbers in one form (`CanonicalNumber`): the canonical form
        /// for revision digests.
        case canonical
    }

    private let order: Order
    /// The JSON text in UTF-8 that was written so far. A caller may write a prefix, and clear the text to reuse the
    /// serializer.
    package var text: GrowingBytes
    /// A Boolean value that says whether an object with a name that starts with `@` or `_`, as blobs and reserved
    /// properties have, was written. Only the caller sets it to false again.
    package var sawMarkedName = false
    /// The members of all objects that are being written in canonical order, those of the innermost one last.
    private var members: [(label: JSONBElement, value: JSONBElement)] = []

    package init(_ order: Order, capacity: Int = 256) {
        self.order = order
        text = GrowingBytes(capacity: capacity)
    }

    /// Returns the JSON text, in UTF-8, of bytes that are one JSONB element. The payloads of strings and numbers aren't
    /// checked.
    ///
    /// - Throws: `malformed` if the bytes aren't JSONB, or are nested deeper than `JSONB.maximumDepth` levels.
    package static func text(of bytes: borrowing Span<UInt8>, order: Order = .stored) throws(JSONError) -> [UInt8] {
        var serializer = JSONBSerializer(order, capacity: bytes.count + bytes.count / 4)
        try serializer.write(bytes)
        return serializer.text.array
    }

    package mutating func write(_ bytes: borrowing Span<UInt8>) throws(JSONError) {
        guard let root = JSONBElement(root: bytes), root.end == bytes.count else { throw Self.damaged }
        try write(root, bytes, depth: 0)
    }

    /// Appends the JSON text of one element of `bytes` to `text`; throws `malformed` if the element isn't JSONB, or is
    /// nested deeper than `JSONB.maximumDepth` levels. The payloads of strings and numbers aren't checked.
    package mutating func write(_ element: JSONBElement, in bytes: borrowing Span<UInt8>) throws(JSONError) {
        try write(element, bytes, depth: 0)
    }

    /// Appends the name of a member and the colon.
    package mutating func writeName(_ label: JSONBElement, in bytes: borrowing Span<UInt8>) {
        string(label, bytes, escapes: label.type == JSONBType.rawText)
        text.append(0x3A)
    }

    private static var damaged: JSONError {
        JSONError(.malformed, at: 0, "the bytes are not JSONB, or are nested deeper than \(JSONB.maximumDepth) levels")
    }

    private mutating func write(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int) throws(JSONError) {
        switch element.type {
        case JSONBType.text: string(element, bytes, escapes: false)
        case JSONBType.integer:
            if order == .canonical {
                CanonicalNumber.appendInteger(bytes, element.start, element.end, to: &text)
            } else {
                text.append(bytes, element.start, element.end)
            }
        case JSONBType.float:
            if order == .canonical {
                CanonicalNumber.appendFloat(bytes, element.start, element.end, to: &text)
            } else {
                text.append(bytes, element.start, element.end)
            }
        case JSONBType.object:
            guard depth < JSONB.maximumDepth else { throw Self.damaged }
            if order == .canonical {
                try sortedObject(element, bytes, depth: depth + 1)
            } else {
                try object(element, bytes, depth: depth + 1)
            }
        case JSONBType.array:
            guard depth < JSONB.maximumDepth else { throw Self.damaged }
            try array(element, bytes, depth: depth + 1)
        case JSONBType.true: text.append("true")
        case JSONBType.false: text.append("false")
        case JSONBType.null: text.append("null")
        case JSONBType.rawText: string(element, bytes, escapes: true)
        default: throw Self.damaged
        }
    }

    @inline(__always)
    private mutating func string(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, escapes: Bool) {
        text.append(0x22)
        if escapes {
            JSONEscape.append(bytes.extracting(element.start..<element.end), to: &text)
        } else {
            text.append(bytes, element.start, element.end)
        }
        text.append(0x22)
    }

    private mutating func array(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int) throws(JSONError) {
        text.append(0x5B)
        var offset = element.start
        while offset < element.end {
            guard let item = JSONBElement(bytes, at: offset, limit: element.end) else { throw Self.damaged }
            if offset > element.start { text.append(0x2C) }
            try write(item, bytes, depth: depth)
            offset = item.end
        }
        text.append(0x5D)
    }

    private mutating func object(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int) throws(JSONError)
    {
        text.append(0x7B)
        var offset = element.start
        while offset < element.end {
            let (label, value) = try Self.member(bytes, at: offset, limit: element.end)
            if offset > element.start { text.append(0x2C) }
            noteName(label, bytes)
            writeName(label, in: bytes)
            try write(value, bytes, depth: depth)
            offset = value.end
        }
        text.append(0x7D)
    }

    /// Sets `sawMarkedName` to true if a name starts with `@` or `_`.
    @inline(__always)
    private mutating func noteName(_ label: JSONBElement, _ bytes: borrowing Span<UInt8>) {
        guard label.start < label.end else { return }
        let letter = bytes[label.start]
        if letter == 0x40 || letter == 0x5F { sawMarkedName = true }
    }

    private mutating func sortedObject(_ element: JSONBElement, _ bytes: borrowing Span<UInt8>, depth: Int)
        throws(JSONError)
    {
        let first = members.count
        var offset = element.start
        while offset < element.end {
            let member = try Self.member(bytes, at: offset, limit: element.end)
            noteName(member.label, bytes)
            members.append(member)
            offset = member.value.end
        }
        sortMembers(from: first, bytes)
        text.append(0x7B)
        for index in first..<members.count {
            if index > first { text.append(0x2C) }
            let (label, value) = members[index]
            writeName(label, in: bytes)
            try write(value, bytes, depth: depth)
        }
        members.removeSubrange(first...)
        text.append(0x7D)
    }

    /// Sorts `members` from the index `first` on by their names, with insertion sort if they are few, as in most
    /// documents.
    private mutating func sortMembers(from first: Int, _ bytes: borrowing Span<UInt8>) {
        guard members.count - first <= 24 else {
            let bytes = copy bytes
            members[first...].sort { Self.precedes($0.label, $1.label, bytes) }
            return
        }
        for index in (first + 1)..<max(members.count, first + 1) {
            let member = members[index]
            var place = index
            while place > first, Self.precedes(member.label, members[place - 1].label, bytes) {
                members[place] = members[place - 1]
                place -= 1
            }
            if place != index { members[place] = member }
        }
    }

    @inline(__always)
    private static func member(
        _ bytes: borrowing Span<UInt8>, at offset: Int, limit: Int
    ) throws(JSONError) -> (label: JSONBElement, value: JSONBElement) {
        guard let label = JSONBElement(bytes, at: offset, limit: limit), label.isString,
            let value = JSONBElement(bytes, at: label.end, limit: limit)
        else { throw damaged }
        return (label, value)
    }

    @inline(__always)
    private static func precedes(_ left: JSONBElement, _ right: JSONBElement, _ bytes: borrowing Span<UInt8>) -> Bool {
        let common = min(left.end - left.start, right.end - right.start)
        for index in 0..<common {
            let (a, b) = (bytes[left.start + index], bytes[right.start + index])
            if a != b { return a < b }
        }
        return left.end - left.start < right.end - right.start
    }
}

/// The canonical form of numbers for revision digests, which is that of Couchbase Lite: integers of up to 64 bits,
/// signed or unsigned, as their digits; every other number as the nearest double, with the fewest digits that are read
/// as the same double. From 1e-4 up to below 1e16 the text has no exponent and at least one digit after the point;
/// otherwise it has an exponent with a sign and at least two digits.
enum CanonicalNumber {
    /// Appends the canonical form of an integer, given as the range of its text in `bytes`.
    @inline(__always)
    static func appendInteger(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        let isShort = end - start < 19 && (end - start != 2 || bytes[start] != minus)
        isShort ? text.append(bytes, start, end) : appendLongInteger(bytes, start, end, to: &text)
    }

    /// Appends the canonical form of a number with a fraction or an exponent, given as the range of its text in
    /// `bytes`.
    @inline(__always)
    static func appendFloat(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        isCanonical(bytes, start, end) ? text.append(bytes, start, end) : appendDouble(bytes, start, end, to: &text)
    }

    private static let minus = UInt8(ascii: "-")
    private static let point = UInt8(ascii: ".")
    private static let zero = UInt8(ascii: "0")

    private static func appendLongInteger(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        if end - start == 2, bytes[start + 1] == zero { return text.append(zero) }
        // Without an allocation for the common case, an integer of 19 or 20 digits that 64 bits hold.
        var value: UInt64 = 0
        let isNegative = bytes[start] == minus
        for index in (isNegative ? start + 1 : start)..<end {
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(bytes[index] &- zero))
            guard !overflow, !carry else { return appendDouble(bytes, start, end, to: &text) }
            value = sum
        }
        guard !isNegative || value <= 1 << 63 else { return appendDouble(bytes, start, end, to: &text) }
        text.append(bytes, start, end)
    }

    /// Returns whether a text of up to 15 significant digits is canonical already: a double preserves 15 digits. False
    /// also for canonical texts with more digits or with an exponent.
    @inline(__always)
    private static func isCanonical(_ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        // Bytes that aren't a number come from a damaged body, and are written unchanged.
        guard end - start >= 3 else { return true }
        var index = bytes[start] == minus ? start + 1 : start
        // Of a number below 1 at most three zeros follow the point: it is at least 1e-4, or 0.0.
        guard end - index <= 16, bytes[end - 1] != zero || bytes[end - 2] == point else { return false }
        if bytes[index] == zero, end - index > 5, bytes[index + 2] == zero, bytes[index + 3] == zero,
            bytes[index + 4] == zero, bytes[index + 5] == zero
        {
            return false
        }
        var points = 0
        while index < end {
            let byte = bytes[index]
            guard byte == point || byte &- zero < 10 else { return false }
            points += byte == point ? 1 : 0
            index += 1
        }
        return points == 1
    }

    private static func appendDouble(
        _ bytes: borrowing Span<UInt8>, _ start: Int, _ end: Int, to text: inout GrowingBytes
    ) {
        var digits: [UInt8] = []
        digits.reserveCapacity(end - start)
        for index in start..<end { digits.append(bytes[index]) }
        // A number outside of the range of a double has no canonical form; the digest is then that of the unchanged
        // text.
        guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else {
            return text.append(bytes, start, end)
        }
        for byte in form(of: value).utf8 { text.append(byte) }
    }

    /// Returns the canonical form of a finite double for revision digests, such as `0.5`, `100.0` and `1e+16`.
    static func form(of value: Double) -> String {
        // The standard library returns the shortest text that is parsed as the same number, in another layout.
        let parts = value.magnitude.description.split(separator: "e")
        let mantissa = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
        // The number is 0.DIGITS times ten to the power of the exponent.
        var digits = (mantissa[0] + fraction)[...]
        var exponent = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.count > 1, digits.first == "0" {
            digits = digits.dropFirst()
            exponent -= 1
        }
        while digits.count > 1, digits.last == "0" { digits = digits.dropLast() }
        let sign = value.sign == .minus ? "-" : ""
        if digits == "0" { return sign + "0.0" }
        guard (-3...16).contains(exponent) else {
            let power = exponent - 1
            let tail = digits.dropFirst()
            return sign + digits.prefix(1) + (tail.isEmpty ? "" : "." + tail) + (power < 0 ? "e-" : "e+")
                + (abs(power) < 10 ? "0" : "") + String(abs(power))
        }
        if exponent <= 0 { return sign + "0." + String(repeating: "0", count: -exponent) + digits }
        let whole = digits.prefix(exponent) + String(repeating: "0", count: max(0, exponent - digits.count))
        let rest = digits.dropFirst(exponent)
        return sign + whole + "." + (rest.isEmpty ? "0" : rest)
    }
}
