import CSQLite
internal import SealiteBase
import SealiteJSON

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
