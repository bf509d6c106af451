internal import SealiteCrypto

/// The header of Basic authentication (RFC 7617), made and read without leaving secret memory.
enum BasicAuthorization {
    private static let prefix = Array("Basic ".utf8)
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// `Basic ` and the Base64 of `user:password`.
    static func value(user: String, password: borrowing SecretBytes) -> SecretBytes {
        let name = Array("\(user):".utf8)
        let plain = unsafe SecretBytes(byteCount: name.count + password.byteCount) { buffer in
            unsafe buffer.copyBytes(from: name)
            unsafe password.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[name.count...]).copyMemory(from: $0)
            }
        }
        return unsafe SecretBytes(byteCount: prefix.count + (plain.byteCount + 2) / 3 * 4) { buffer in
            unsafe buffer.copyBytes(from: prefix)
            unsafe plain.withUnsafeBytes {
                unsafe encode($0, into: UnsafeMutableRawBufferPointer(rebasing: buffer[prefix.count...]))
            }
        }
    }

    /// Bytes that are no secret, in Base64.
    static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4)
        unsafe bytes.withUnsafeBytes { source in
            unsafe text.withUnsafeMutableBytes { unsafe encode(source, into: $0) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func encode(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        var place = 0
        for start in stride(from: 0, to: source.count, by: 3) {
            let count = min(3, source.count - start)
            var bits: UInt32 = 0
            for index in 0..<3 { unsafe bits = bits << 8 | (index < count ? UInt32(source[start + index]) : 0) }
            for index in 0..<4 {
                unsafe target[place + index] =
                    index <= count ? alphabet[Int(bits >> (18 - 6 * UInt32(index)) & 63)] : UInt8(ascii: "=")
            }
            place += 4
        }
    }

    /// User and password of a header's value; nil if it isn't one of Basic authentication. `Basic` in any case of letters.
    static func read(_ value: String) -> (user: String, password: SharedSecret)? {
        var text = Array(value.utf8)
        defer { for index in text.indices { text[index] = 0 } }
        guard text.count > prefix.count, text.count <= 8_192,
            zip(text, prefix).allSatisfy({ $0 | 0x20 == $1 | 0x20 }), var plain = decode(text[prefix.count...])
        else { return nil }
        defer { for index in plain.indices { plain[index] = 0 } }
        guard let colon = plain.firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: plain[..<colon], as: UTF8.self), !user.isEmpty
        else { return nil }
        return (user, SharedSecret(SecretBytes(copying: Array(plain[(colon + 1)...]))))
    }

    private static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        guard text.count.isMultiple(of: 4), text[digits.endIndex...].allSatisfy({ $0 == UInt8(ascii: "=") }),
            text.count - digits.count <= 2
        else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var bitCount: UInt32 = 0
        for character in digits {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | UInt32(value)) & 0xFFFF
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        return bytes
    }
}
