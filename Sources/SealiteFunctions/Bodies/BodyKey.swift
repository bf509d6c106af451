import CSQLite
import SealiteJSON

/// `body_key(order, body, step, …)`: the value at a path as a key, whose bytes compare in the order of values.
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

/// `body_compare(order, a, b)`: a negative number, 0 or a positive number if element *a* comes before, is equal to or
/// comes after element *b*.
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
