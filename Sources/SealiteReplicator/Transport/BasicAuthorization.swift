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
}
