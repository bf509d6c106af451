package import SealiteCrypto

/// A receiver of the values that `JSONScanner` parses.
protocol JSONSink: ~Copyable {
    /// The state that the receiver keeps from the start of an array or object to its end.
    associatedtype Container

    mutating func null()
    mutating func boolean(_ value: Bool)
    mutating func number(_ text: borrowing Span<UInt8>, _ range: Range<Int>, isInteger: Bool)
    mutating func string(_ text: borrowing Span<UInt8>, _ string: JSONString, _ scanner: JSONScanner)
    /// Receives a member's name, whose value follows. `text` is the whole parsed text, in which `name` lies.
    mutating func name(_ text: borrowing Span<UInt8>, _ name: JSONString, _ scanner: JSONScanner)
    /// Starts an array or object; which of them, the call that ends it tells. `guess` is the estimated number of bytes
    /// of its payload in the receiver's output.
    mutating func begin(guess: Int) -> Container
    mutating func endArray(_ begun: Container)
    /// Receives the end of an object.
    ///
    /// - Returns: false if the receiver has found a name twice in the object, which the parser then refuses.
    mutating func endObject(_ begun: Container) -> Bool
}

extension JSONScanner {
    /// Parses the value at `position` and passes it to `sink`. The nesting depth is limited by the rules. `guess` is
    /// the estimated number of bytes of the value's payload in the sink's output; only its magnitude is relevant.
    mutating func value<Sink: JSONSink & ~Copyable>(
        _ text: borrowing Span<UInt8>, into sink: inout Sink, guess: Int
    ) throws(JSONError) {
        switch current(text) {
        case 0x22: sink.string(text, try string(text), self)
        case 0x7B: try object(text, into: &sink, guess: guess)
        case 0x5B: try array(text, into: &sink)
        case 0x2D, 0x30...0x39:
            let start = position
            let isInteger = try number(text)
            sink.number(text, start..<position, isInteger: isInteger)
        case 0x74:
            try literal(text, "true")
            sink.boolean(true)
        case 0x66:
            try literal(text, "false")
            sink.boolean(false)
        case 0x6E:
            try literal(text, "null")
            sink.null()
        default: _ = try kind(text)
        }
    }

    private mutating func object<Sink: JSONSink & ~Copyable>(
        _ text: borrowing Span<UInt8>, into sink: inout Sink, guess: Int
    ) throws(JSONError) {
        try enter(text)
        let begun = sink.begin(guess: guess)
        if !leaveIfEmpty(text, 0x7D) {
            repeat {
                sink.name(text, try name(text), self)
                try value(text, into: &sink, guess: 100)
            } while try goesOn(text, until: 0x7D)
        }
        guard sink.endObject(begun) else {
            throw failure("the object that ends here has two members with the same name", .duplicateName)
        }
    }

    private mutating func array<Sink: JSONSink & ~Copyable>(
        _ text: borrowing Span<UInt8>, into sink: inout Sink
    ) throws(JSONError) {
        try enter(text)
        let begun = sink.begin(guess: 20)
        if !leaveIfEmpty(text, 0x5D) {
            repeat { try value(text, into: &sink, guess: 100) } while try goesOn(text, until: 0x5D)
        }
        sink.endArray(begun)
    }

    /// Checks and skips any value; `position` must be at its first byte.
    @usableFromInline package mutating func skip(_ text: borrowing Span<UInt8>) throws(JSONError) {
        var sink = JSONSkipper()
        try value(text, into: &sink, guess: 0)
    }

    /// Skips a string and returns it in memory that is wiped after use; `position` must be at its first quote.
    package mutating func secret(_ text: borrowing Span<UInt8>) throws(JSONError) -> SecretBytes {
        var sink = JSONSecretSink()
        guard try kind(text) == .string else { throw failure("expected a string", .wrongKind) }
        try value(text, into: &sink, guess: 0)
        return sink.secret
    }
}

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
