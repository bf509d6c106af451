import SealiteCrypto

/// The layout of the sidecar, the file `<db>-rotate`: new images of one batch of pages of a key rotation, made durable
/// before any of them is written to the database file. `Documentation/FORMAT.md` §14.
enum SidecarLayout {
    static let magic: [UInt8] = Array("SealRot1".utf8)
    static let preambleByteCount = 512
    static let tableOffset: Int64 = 512
    static let pageLimit = 4096
    static let isOpen: UInt32 = 1

    /// Returns the offset of the first image in the sidecar: after the table of `pageCount` page numbers, rounded up to
    /// a multiple of 4096.
    static func imagesOffset(pageCount: Int) -> Int64 {
        assert(pageCount >= 0)
        let end = Int(tableOffset) + 4 * pageCount
        return Int64((end + 4095) / 4096 * 4096)
    }
}
