/// Base64 of RFC 4648 §4 with padding. The calls with buffers are also for secrets, whose text and bytes the caller
/// keeps in memory that is wiped.
package enum Base64 {
    /// Returns the length of the Base64 text of a number of bytes.
    package static func encodedByteCount(_ byteCount: Int) -> Int { (byteCount + 2) / 3 * 4 }

    /// Returns the Base64 text of bytes that aren't secret.
    package static func encode(_ bytes: [UInt8]) -> String {
        unsafe String(unsafeUninitializedCapacity: encodedByteCount(bytes.count)) { output in
            unsafe bytes.withUnsafeBytes { input in
                unsafe encode(input, into: UnsafeMutableRawBufferPointer(output))
            }
            return encodedByteCount(bytes.count)
        }
    }

    /// Writes the Base64 text of bytes to a buffer of ``encodedByteCount(_:)`` bytes.
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

    /// Decodes a text that isn't secret.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - allowsMissingPadding: true to accept also a text without the padding characters.
    /// - Returns: the bytes; nil if ``encode(_:)`` doesn't return exactly this text for them, apart from missing
    ///   padding that is allowed.
    package static func decode(_ text: some StringProtocol, allowsMissingPadding: Bool = false) -> [UInt8]? {
        var text = Array(text.utf8)
        let missing = (4 - text.count % 4) % 4
        if allowsMissingPadding, missing < 3, text.last != UInt8(ascii: "=") {
            text += repeatElement(UInt8(ascii: "="), count: missing)
        }
        return unsafe text.withUnsafeBytes { input in
            guard let padding = unsafe padding(of: input) else { return nil }
            var isValid = true
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: input.count / 4 * 3 - padding) { output, count in
                count = input.count / 4 * 3 - padding
                unsafe UnsafeMutableRawBufferPointer(output).initializeMemory(as: UInt8.self, repeating: 0)
                isValid = unsafe decode(input, padding: padding, into: UnsafeMutableRawBufferPointer(output))
            }
            return isValid ? bytes : nil
        }
    }

    /// Returns the number of padding characters at the end of a text; nil if the text's length isn't a multiple of 4.
    package static func padding(of text: UnsafeRawBufferPointer) -> Int? {
        guard text.count % 4 == 0 else { return nil }
        var padding = 0
        while padding < min(2, text.count) {
            guard unsafe text[text.count - 1 - padding] == UInt8(ascii: "=") else { break }
            padding += 1
        }
        return padding
    }

    /// Writes the bytes of a text to a buffer of three bytes for each four characters, less the padding.
    ///
    /// - Returns: false if ``encode(_:into:)`` doesn't return exactly this text for any bytes.
    package static func decode(
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

    /// Returns the Base64 character, in ASCII, for a value of six bits.
    package static func digit(_ value: UInt8) -> UInt8 {
        switch value {
        case 0..<26: UInt8(ascii: "A") + value
        case 26..<52: UInt8(ascii: "a") + value - 26
        case 52..<62: UInt8(ascii: "0") + value - 52
        case 62: UInt8(ascii: "+")
        default: UInt8(ascii: "/")
        }
    }

    /// Returns the six-bit value of a Base64 character in ASCII; nil for any other byte, including `=`.
    package static func value(_ digit: UInt8) -> UInt8? {
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
