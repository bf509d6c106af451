package import SealiteCrypto

/// Base 64 of RFC 4648 §4 with padding, from and into memory that is wiped.
package enum Base64 {
    package static func encodedByteCount(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

    /// The text of bytes that aren't secret.
    package static func encode(_ bytes: [UInt8]) -> String {
        unsafe String(unsafeUninitializedCapacity: encodedByteCount(bytes.count)) { output in
            unsafe bytes.withUnsafeBytes { input in
                unsafe encode(input, into: UnsafeMutableRawBufferPointer(output))
            }
            return encodedByteCount(bytes.count)
        }
    }

    /// Writes the text to a buffer of `encodedByteCount` bytes.
    package static func encode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        var position = 0
        for start in stride(from: 0, to: input.count, by: 3) {
            let count = min(3, input.count - start)
            var group: UInt32 = 0
            for index in 0..<3 {
                group = unsafe group << 8 | (index < count ? UInt32(input[start + index]) : 0)
            }
            for index in 0..<4 {
                let value = UInt8(truncatingIfNeeded: group >> (18 - 6 * UInt32(index))) & 63
                unsafe output[position] = index <= count ? digit(value) : UInt8(ascii: "=")
                position += 1
            }
        }
    }

    /// The bytes of a text; nil when it isn't exactly what `encode` writes for them.
    package static func decode(_ text: borrowing SecretBytes) -> SecretBytes? {
        let count = text.byteCount
        guard count % 4 == 0 else { return nil }
        return unsafe text.withUnsafeBytes { input -> SecretBytes? in
            var padding = 0
            while padding < min(2, count) {
                guard unsafe input[count - 1 - padding] == UInt8(ascii: "=") else { break }
                padding += 1
            }
            var isValid = true
            let result = unsafe SecretBytes(byteCount: count / 4 * 3 - padding) { output in
                isValid = unsafe decode(input, padding: padding, into: output)
            }
            guard isValid else { return nil }
            return result
        }
    }

    private static func decode(
        _ input: UnsafeRawBufferPointer, padding: Int, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        for start in stride(from: 0, to: input.count, by: 4) {
            var group: UInt32 = 0
            for index in 0..<4 {
                let isPadding = start + index >= input.count - padding
                guard let value = unsafe isPadding ? 0 : value(input[start + index]) else { return false }
                group = group << 6 | UInt32(value)
            }
            for index in 0..<3 {
                let byte = UInt8(truncatingIfNeeded: group >> (16 - 8 * UInt32(index)))
                let position = start / 4 * 3 + index
                if position < output.count {
                    unsafe output[position] = byte
                } else if byte != 0 {
                    return false
                }
            }
        }
        return true
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
