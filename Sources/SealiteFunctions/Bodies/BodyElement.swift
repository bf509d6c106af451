import CSQLite
internal import SealiteBase
import SealiteJSON

/// The SQL function `body_element(body, step, …)`: the element of a body at a path as JSONB, NULL if there is none.
func bodyElement(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    let usage: StaticString = "body_element(body, step, …) needs a body"
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 1, usage) else { return }
    let body = unsafe call.bytes(0)
    guard let found = unsafe call.find(in: body.span, stepsFrom: 1), typeName(found) != nil else { return }
    call.giveBlob(found.shortestByteCount) { output in
        unsafe found.append(to: &output, in: body.span)
        return true
    }
}

/// The SQL function `body_type(body, step, …)`: the name of the type of the value in a body at a path, `missing` if
/// there is none.
func bodyType(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    let usage: StaticString = "body_type(body, step, …) needs a body"
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 1, usage) else { return }
    let body = unsafe call.bytes(0)
    guard let found = unsafe call.find(in: body.span, stepsFrom: 1) else { return call.give("missing") }
    if let name = typeName(found) { call.give(name) }
}

/// Returns the name in SQL++ of an element's type; nil for types that don't occur in bodies.
private func typeName(_ element: JSONBElement) -> StaticString? {
    switch element.type {
    case JSONBType.null: "null"
    case JSONBType.true, JSONBType.false: "boolean"
    case JSONBType.integer, JSONBType.float: "number"
    case JSONBType.text, JSONBType.rawText: "string"
    case JSONBType.array: "array"
    case JSONBType.object: "object"
    default: nil
    }
}

/// The SQL function `body_key(order, body, step, …)`: a key for the value in a body at a path; the bytes of keys
/// compare in the named order of values.
func bodyKey(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    let usage: StaticString = "body_key(order, body, step, …) needs an order and a body"
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 2, usage), let order = call.order(0) else {
        return
    }
    let body = unsafe call.bytes(1)
    let found = unsafe call.find(in: body.span, stepsFrom: 2)
    call.giveBlob(ValueKey.maximumByteCount) { output in
        unsafe ValueKey(order).append(found, in: body.span, to: &output)
    }
}

/// The SQL function `body_compare(order, a, b)`: -1, 0 or 1 if the JSONB element *a* comes before, is equal to or comes
/// after the element *b* in the named order of values.
func bodyCompare(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    let usage: StaticString = "body_compare(order, a, b) needs an order and two elements"
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 3, usage), let order = call.order(0) else {
        return
    }
    let (left, right) = unsafe (call.bytes(1), call.bytes(2))
    let (a, b) = unsafe (JSONBElement(root: left.span), JSONBElement(root: right.span))
    guard a != nil || call.isNull(1), b != nil || call.isNull(2) else { return }
    call.give(Int64(unsafe order.compare(a, in: left.span, b, in: right.span).signum()))
}

/// The SQL function `body_value(body, step, …)`: the value in a body at a path as an SQL value, NULL if there is none.
/// True and false are 1 and 0, arrays and objects are JSON text.
func bodyValue(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    let usage: StaticString = "body_value(body, step, …) needs a body"
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 1, usage) else { return }
    let body = unsafe call.bytes(0)
    guard let found = unsafe call.find(in: body.span, stepsFrom: 1) else { return }
    unsafe BodyValue.give(found, body, call)
}

private enum BodyValue {
    @inline(__always)
    static func give(_ element: JSONBElement, _ body: UnsafeBufferPointer<UInt8>, _ call: BodyCall) {
        let payload = unsafe UnsafeBufferPointer(rebasing: body[element.start..<element.end])
        switch element.type {
        case JSONBType.true: call.give(1 as Int64)
        case JSONBType.false: call.give(0 as Int64)
        case JSONBType.integer where payload.count <= 18:
            if let value = unsafe integer(payload.span) { call.give(value) }
        case JSONBType.integer, JSONBType.float: unsafe giveNumber(payload, call)
        case JSONBType.text, JSONBType.rawText: unsafe call.give(text: payload)
        case JSONBType.array, JSONBType.object:
            var serializer = JSONBSerializer(.stored)
            guard unsafe (try? serializer.write(element, in: body.span)) != nil else { return }
            unsafe serializer.text.withUnsafeBytes { text in
                unsafe call.give(text: text.bindMemory(to: UInt8.self))
            }
        default: break
        }
    }

    /// Returns the value of an integer's text, which has at most 18 bytes; nil if it isn't an integer.
    @inline(__always)
    private static func integer(_ digits: borrowing Span<UInt8>) -> Int64? {
        let isNegative = digits.count > 0 && digits[0] == 0x2D
        let first = isNegative ? 1 : 0
        guard digits.count > first, digits[first] != 0x30 || digits.count == first + 1 else { return nil }
        var value: Int64 = 0
        for index in first..<digits.count {
            let digit = digits[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return isNegative ? -value : value
    }

    /// Sets the result to the number with a text: exactly if it is an integer that 64 bits can represent, otherwise to
    /// the nearest double.
    private static func giveNumber(_ digits: UnsafeBufferPointer<UInt8>, _ call: BodyCall) {
        guard unsafe DecimalText(digits.span, 0..<digits.count) != nil else { return }
        // The C library's function isn't used, since a host's locale may require a comma as the decimal separator.
        let text = unsafe String(decoding: digits, as: UTF8.self)
        if let value = Int64(text) { return call.give(value) }
        if let value = Double(text) { call.give(value) }
    }
}

/// The SQL function `query_revision(revision)`: the text of a revision ID that is given in the stored form
/// (Documentation/DocumentFormat.md §4.1), NULL if it is damaged.
func revisionText(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 1, "query_revision(revision) needs a revision")
    else { return }
    let stored = unsafe call.bytes(0)
    if let text = unsafe versionText(stored.span) {
        unsafe text.withUnsafeBufferPointer { unsafe call.give(text: $0) }
        return
    }
    var position = 0
    guard let head = unsafe Varint.read(stored.span, &position, limit: stored.count),
        let generation = UInt32(exactly: head >> 1), generation > 0, position < stored.count,
        head & 1 == 1 || stored.count - position <= 20
    else { return }
    var text = Array("\(generation)-".utf8)
    for index in position..<stored.count {
        let byte = unsafe stored[index]
        if head & 1 == 0 {
            Hexadecimal.append(byte, to: &text)
        } else {
            text.append(byte)
        }
    }
    guard String(validating: text, as: UTF8.self) != nil else { return }
    unsafe text.withUnsafeBufferPointer { unsafe call.give(text: $0) }
}

/// Returns the text `time@source` of a version of a version vector as documents store it
/// (Documentation/DocumentFormat.md §4.3); nil if the bytes aren't a stored version.
private func versionText(_ stored: borrowing Span<UInt8>) -> [UInt8]? {
    guard stored.count == 25, stored[0] == 1 else { return nil }
    func word(_ start: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in start..<(start + 8) { word = word << 8 | UInt64(stored[index]) }
        return word
    }
    let (time, high, low) = (word(1), word(9), word(17))
    guard time != 0, high != 0 || low != 0 else { return nil }
    var text = Array(String(time, radix: 16).utf8)
    text.append(UInt8(ascii: "@"))
    // The source as Base64: 128 bits in 22 characters, of which the last one has two bits.
    for index in 0..<22 {
        var value: UInt8 = 0
        for bit in (index * 6)..<(index * 6 + 6) {
            value = value << 1 | (bit < 128 ? UInt8((bit < 64 ? high : low) >> UInt64(63 - bit % 64) & 1) : 0)
        }
        text.append(Base64.digit(value))
    }
    return text
}
