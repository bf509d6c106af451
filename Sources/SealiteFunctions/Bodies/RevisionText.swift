import CSQLite
import SealiteJSON

/// `query_revision(revision)`: the text of a revision ID in a document's stored form (Documentation/DocumentFormat.md
/// §4.1), NULL if it is damaged.
func revisionText(_ context: OpaquePointer?, _ count: CInt, _ arguments: SQLArguments) {
    guard let call = unsafe BodyCall(context, count, arguments, atLeast: 1, "query_revision(revision) needs a revision")
    else { return }
    let stored = unsafe call.bytes(0)
    var position = 0
    guard let head = unsafe Varint.read(stored.span, &position, limit: stored.count), head >> 1 > 0,
        position < stored.count
    else { return }
    var text = Array("\(head >> 1)-".utf8)
    for index in position..<stored.count {
        let byte = unsafe stored[index]
        if head & 1 == 0 {
            text.append(Hexadecimal.digit(byte >> 4))
            text.append(Hexadecimal.digit(byte & 15))
        } else {
            text.append(byte)
        }
    }
    guard String(validating: text, as: UTF8.self) != nil else { return }
    unsafe text.withUnsafeBufferPointer { unsafe call.give(text: $0) }
}
