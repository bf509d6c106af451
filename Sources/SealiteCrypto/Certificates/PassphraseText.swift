/// A passphrase as a C string, with a terminating NUL; an empty string if there is no passphrase.
struct PassphraseText: ~Copyable {
    private let bytes: SecretBytes
    private let byteCount: Int

    init(_ passphrase: borrowing SecretBytes?) {
        switch passphrase {
        case .some(let passphrase):
            byteCount = passphrase.byteCount
            bytes = unsafe SecretBytes(byteCount: passphrase.byteCount + 1) { buffer in
                unsafe passphrase.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
            }
        case .none:
            byteCount = 0
            bytes = unsafe SecretBytes(byteCount: 1) { _ in }
        }
    }

    func withCString<R>(
        _ body: (UnsafePointer<CChar>, Int) throws(IdentityError) -> R
    ) throws(IdentityError) -> R {
        try unsafe bytes.withUnsafeBytes { (buffer) throws(IdentityError) in
            guard let start = buffer.baseAddress else {
                throw IdentityError(
                    .failed, "the memory of the passphrase isn't accessible")
            }
            return try unsafe body(start.assumingMemoryBound(to: CChar.self), byteCount)
        }
    }
}
