internal import COpenSSL
internal import Glibc

/// Random bytes from the kernel.
///
/// Every call uses getrandom(2) (about 0.25 µs for a nonce). Nothing is buffered in the process, so a forked child, or
/// a clone of a running virtual machine whose kernel reseeds, never gets the same bytes again.
public enum SecureRandom {
    /// Fills the buffer with random bytes. Safe from any thread.
    ///
    /// - Throws: `randomUnavailable` if the kernel doesn't have getrandom(2) or forbids it.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(CryptoError) {
        guard var next = buffer.baseAddress else { return }
        var left = buffer.count
        while left > 0 {
            let count = unsafe getrandom(next, left, 0)
            if count < 0 {
                let number = errno
                if number == EINTR { continue }
                throw CryptoError(
                    .randomUnavailable,
                    "the system call getrandom(2) supplied no \(buffer.count) random bytes: errno \(number)")
            }
            unsafe next += count
            left -= count
        }
    }

    /// Returns random bytes that aren't secret: nonces, salts, identifiers. For keys use
    /// ``SecretBytes/random(byteCount:)``.
    ///
    /// - Throws: `randomUnavailable`, as ``fill(_:)`` does.
    public static func bytes(_ byteCount: Int) throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var failure: CryptoError?
        unsafe bytes.withUnsafeMutableBytes { buffer in
            do throws(CryptoError) { try unsafe fill(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
        return bytes
    }
}
