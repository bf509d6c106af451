package import SealiteBase

extension Base64 {
    /// Decodes a secret text; returns nil if the text isn't exactly the result of `encode(_:into:)` for the bytes.
    package static func decode(_ text: borrowing SecretBytes) -> SecretBytes? {
        let count = text.byteCount
        return unsafe text.withUnsafeBytes { input -> SecretBytes? in
            guard let padding = unsafe padding(of: input) else { return nil }
            var isValid = true
            let result = unsafe SecretBytes(byteCount: count / 4 * 3 - padding) { output in
                isValid = unsafe decode(input, padding: padding, into: output)
            }
            guard isValid else { return nil }
            return result
        }
    }
}

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
