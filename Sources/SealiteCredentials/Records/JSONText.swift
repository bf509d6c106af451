internal import SealiteCrypto

/// The contents of JSON strings (RFC 8259 §7).
enum JSONText {
    /// The bytes of a string with its escapes resolved; nil when an escape is wrong.
    static func unescape(_ raw: UnsafeRawBufferPointer) -> SecretBytes? {
        // An escape never takes less room than what it stands for, so one pass counts and a second one writes.
        guard let count = unsafe scan(raw, { _, _ in }) else { return nil }
        return unsafe SecretBytes(byteCount: count) { output in
            _ = unsafe scan(raw) { position, byte in unsafe output[position] = byte }
        }
    }

    /// Hands each byte of the result to a closure, with its position; returns how many there were.
    private static func scan(_ raw: UnsafeRawBufferPointer, _ body: (Int, UInt8) -> Void) -> Int? {
        var count = 0
        var position = 0
        func put(_ byte: UInt8) {
            body(count, byte)
            count += 1
        }
        while position < raw.count {
            let byte = unsafe raw[position]
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                put(byte)
                continue
            }
            guard position < raw.count else { return nil }
            let mark = unsafe raw[position]
            position += 1
            if mark == UInt8(ascii: "u") {
                guard let scalar = unsafe scalar(raw, &position) else { return nil }
                for unit in String(scalar).utf8 { put(unit) }
            } else if let plain = simpleEscape(mark) {
                put(plain)
            } else {
                return nil
            }
        }
        return count
    }

    private static func simpleEscape(_ mark: UInt8) -> UInt8? {
        switch mark {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): mark
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: nil
        }
    }

    /// The character of one `\u` escape, or of two that are a surrogate pair; the position is behind the `u`.
    private static func scalar(_ raw: UnsafeRawBufferPointer, _ position: inout Int) -> Unicode.Scalar? {
        guard let first = unsafe hexUnit(raw, &position) else { return nil }
        guard UTF16.isLeadSurrogate(first) else { return Unicode.Scalar(first) }
        guard position + 2 <= raw.count, unsafe raw[position] == UInt8(ascii: "\\"),
            unsafe raw[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let second = unsafe hexUnit(raw, &position), UTF16.isTrailSurrogate(second) else { return nil }
        return UTF16.decode(UTF16.EncodedScalar([first, second]))
    }

    private static func hexUnit(_ raw: UnsafeRawBufferPointer, _ position: inout Int) -> UInt16? {
        guard position + 4 <= raw.count else { return nil }
        var unit: UInt16 = 0
        for _ in 0..<4 {
            let byte = unsafe raw[position]
            position += 1
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "a") + 10)
            case UInt8(ascii: "A")...UInt8(ascii: "F"): unit = unit << 4 | UInt16(byte - UInt8(ascii: "A") + 10)
            default: return nil
            }
        }
        return unit
    }
}
