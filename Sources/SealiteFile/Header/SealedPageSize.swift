import SealiteCrypto

/// The page sizes that a sealed file may have.
public enum SealedPageSize {
    /// The default page size in bytes.
    public static let standard = 4096

    /// Returns whether a page size in bytes can be sealed: a power of two from 1024 to 65536.
    public static func isValid(_ byteCount: Int) -> Bool {
        (1024...65536).contains(byteCount) && byteCount & (byteCount - 1) == 0
    }
}
