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
