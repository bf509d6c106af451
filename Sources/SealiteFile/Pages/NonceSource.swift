import CSQLite
import Glibc
import SealiteCrypto

/// Generates nonces for one file object from a random prefix, a clock and a counter. `Documentation/FORMAT.md` §10.
///
/// A new prefix is drawn with getrandom(2) when a write lock is taken and the last one is older than a second; the
/// clock separates machines that were cloned from one running image. Not thread-safe: the owner serialises calls.
struct NonceSource {
    private var prefix: (UInt64, UInt32) = (0, 0)
    private var counter: UInt32 = 0
    private var drawnAt: UInt64 = 0
    private static let lifetime: UInt64 = 1_000_000_000

    /// Draws a new random prefix if the last one is more than a second old. Called when a transaction begins.
    mutating func renewIfOld() throws(SealedFileError) {
        guard drawnAt == 0 || Self.now() &- drawnAt > Self.lifetime else { return }
        try renew()
    }

    private mutating func renew() throws(SealedFileError) {
        var fresh: (UInt64, UInt32, UInt32) = (0, 0, 0)
        try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try unsafe withUnsafeMutableBytes(of: &fresh) { (buffer) throws(CryptoError) in
                unsafe try SecureRandom.fill(buffer)
            }
        }
        prefix = (fresh.0, fresh.1)
        counter = fresh.2
        drawnAt = Self.now()
    }

    /// Writes the next nonce of 24 bytes.
    @inline(__always)
    mutating func next(into nonce: UnsafeMutableRawPointer) throws(SealedFileError) {
        if drawnAt == 0 { try renew() }
        counter &+= 1
        unsafe nonce.storeBytes(of: prefix.0, as: UInt64.self)
        unsafe nonce.storeBytes(of: prefix.1, toByteOffset: 8, as: UInt32.self)
        unsafe nonce.storeBytes(of: counter, toByteOffset: 12, as: UInt32.self)
        unsafe nonce.storeBytes(of: Self.now(), toByteOffset: 16, as: UInt64.self)
    }

    private static func now() -> UInt64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }
}
