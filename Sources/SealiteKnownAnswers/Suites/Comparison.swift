import SealiteCrypto

/// Comparisons for the suites of test vectors. None of them uses a comparison of `SealiteCrypto`: if a faulty one
/// accepted everything, wrong answers of every algorithm would pass.
extension SecretBytes {
    /// Returns whether the secret has exactly the given bytes. Not in constant time: published vectors aren't secret.
    borrowing func hasBytes(_ expected: [UInt8]) -> Bool {
        unsafe withUnsafeBytes { bytes in
            guard bytes.count == expected.count else { return false }
            for index in 0..<bytes.count where unsafe bytes[index] != expected[index] { return false }
            return true
        }
    }
}

extension SealedBox {
    /// Returns whether the ciphertext and the tag are exactly those of another box.
    func hasContent(of other: SealedBox) -> Bool {
        ciphertext.elementsEqual(other.ciphertext) && tag.elementsEqual(other.tag)
    }
}
