internal import SealiteCredentials
internal import SealiteCrypto

/// The parser of Basic authentication's header (RFC 7617), for servers.
enum BasicAuthorization {
    private static let prefix = Array("basic ".utf8)

    /// Returns user and password from the value of an `Authorization` header; nil if it isn't valid Basic
    /// authentication, or has no user name. `Basic` may be in any case of letters.
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
