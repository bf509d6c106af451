internal import SealiteCrypto

/// A receiver of the values that `JSONScanner` parses, which ignores them: for skipping a value.
struct JSONSkipper: JSONSink {
    mutating func null() {}
    mutating func boolean(_ value: Bool) {}
    mutating func number(_ text: borrowing Span<UInt8>, _ range: Range<Int>, isInteger: Bool) {}
    mutating func string(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner) {}
    mutating func name(_ text: borrowing Span<UInt8>, _ name: JSONString, _ scanner: JSONScanner) {}
    mutating func begin(guess: Int) {}
    mutating func endArray(_ begun: Void) {}
    mutating func endObject(_ begun: Void) -> Bool { true }
}
