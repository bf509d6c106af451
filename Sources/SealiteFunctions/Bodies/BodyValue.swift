import CSQLite
import SealiteJSON

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
