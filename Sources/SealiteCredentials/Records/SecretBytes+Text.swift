package import SealiteCrypto

extension SecretBytes {
    /// Returns a text, a secret and a text, joined in one piece of memory that is wiped.
    package static func joined(_ prefix: String, _ secret: borrowing SecretBytes, _ suffix: String) -> SecretBytes {
        let start = prefix.utf8.count
        let end = start + secret.byteCount
        return unsafe SecretBytes(byteCount: end + suffix.utf8.count) { output in
            unsafe output.copyBytes(from: prefix.utf8)
            unsafe secret.withUnsafeBytes {
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[start..<end]).copyMemory(from: $0)
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: output[end...]).copyBytes(from: suffix.utf8)
        }
    }

    /// Returns a text and the Base64 of a secret, joined in one piece of memory that is wiped.
    package static func base64(_ prefix: String, _ secret: borrowing SecretBytes) -> SecretBytes {
        let start = prefix.utf8.count
        return unsafe SecretBytes(byteCount: start + Base64.encodedByteCount(secret.byteCount)) { output in
            unsafe output.copyBytes(from: prefix.utf8)
            unsafe secret.withUnsafeBytes {
                unsafe Base64.encode($0, into: UnsafeMutableRawBufferPointer(rebasing: output[start...]))
            }
        }
    }
}
