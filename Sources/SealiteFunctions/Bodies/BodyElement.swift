import CSQLite
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
