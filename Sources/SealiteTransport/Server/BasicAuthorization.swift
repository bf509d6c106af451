internal import SealiteCredentials
internal import SealiteCrypto

/// The header of Basic authentication (RFC 7617) as a server reads it.
enum BasicAuthorization {
    private static let prefix = Array("basic ".utf8)

    /// User and password of a header's value; nil if it isn't one of Basic authentication. `Basic` in any case of letters.
    static func read(_ value: String) -> (user: String, password: SharedSecret)? {
        let text = value.utf8
        guard text.count > prefix.count, text.count <= 8_192,
            zip(text, prefix).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
        else { return nil }
        let encoded = unsafe SecretBytes(byteCount: text.count - prefix.count) {
            unsafe $0.copyBytes(from: text.dropFirst(prefix.count))
        }
        guard let plain = Base64.decode(encoded) else { return nil }
        return unsafe plain.withUnsafeBytes { bytes in
            guard let colon = unsafe bytes.firstIndex(of: UInt8(ascii: ":")),
                let user = unsafe String(validating: bytes[..<colon], as: UTF8.self), !user.isEmpty
            else { return nil }
            let password = unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[(colon + 1)...]))
            return (user, SharedSecret(password))
        }
    }
}
