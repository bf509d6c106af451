internal import SealiteCrypto

/// A receiver of the values that `JSONScanner` parses, which keeps a string in memory that is wiped after use, and
/// ignores all other values.
struct JSONSecretSink: JSONSink, ~Copyable {
    private(set) var secret = SecretBytes(copying: [])

    mutating func string(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner) {
        secret = unsafe SecretBytes(byteCount: string.byteCount) { output in
            var count = 0
            scanner.forEachByte(of: string, in: text) { byte in
                unsafe output[count] = byte
                count += 1
            }
        }
    }

    mutating func null() {}
    mutating func boolean(_ value: Bool) {}
    mutating func number(_ text: borrowing Span<UInt8>, _ range: Range<Int>, isInteger: Bool) {}
    mutating func name(_ text: borrowing Span<UInt8>, _ name: JSONString, _ scanner: JSONScanner) {}
    mutating func begin(guess: Int) {}
    mutating func endArray(_ begun: Void) {}
    mutating func endObject(_ begun: Void) -> Bool { true }
}
