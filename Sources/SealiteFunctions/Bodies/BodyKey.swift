import CSQLite
import SealiteJSON

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
