import SealiteCrypto
public import SealiteFile

/// The public content of a sealed file's header: no key is needed to read it, and nothing secret is in it.
public struct PublicHeader: Sendable, Codable, Equatable {
    /// The version of the format: 1.
    public let formatVersion: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// 16 random bytes, in hex, that tell this database from every other.
    public let databaseID: String
    /// 16 random bytes, in hex, that change with the master key: at each rotation.
    public let masterID: String
    /// Raised by one at each change of the header.
    public let generation: UInt64
    /// Raised before each freshness record.
    public let freshnessCounter: UInt64
    /// The cipher's name.
    public let cipher: String
    /// The epoch that pages are sealed under.
    public let epoch: UInt32
    /// The epoch that pages were sealed under before the rotation that is under way; nil where none is.
    public let previousEpoch: UInt32?
    /// The key slots in use.
    public let slots: [SlotInfo]
    /// The states of the two copies, copy 0 first.
    public let copies: [CopyState]

    /// True where a rotation of the keys was begun and not ended.
    public var isRotating: Bool { previousEpoch != nil }

    /// The state of one of the two header copies.
    public enum CopyState: String, Sendable, Codable {
        /// The copy holds the newest generation.
        case current
        /// Whole, with an older generation, as a crash between two writes leaves it.
        case stale
        /// A checksum that doesn't fit, as a torn write leaves it, or no copy at all.
        case damaged
        /// Whole, and made by someone without the key. Only the key can tell.
        case tampered
    }
}

extension PublicHeader {
    /// `tampered` is the copy that the key told false, if there is one.
    init(_ region: HeaderRegion, tampered: Int? = nil) {
        let content = region.content
        formatVersion = Int(HeaderLayout.formatVersion)
        pageSize = content.pageSize
        databaseID = content.databaseID.hex
        masterID = content.masterID.hex
        generation = content.generation
        freshnessCounter = content.freshness
        cipher = "XAES-256-GCM"
        epoch = content.epoch.epoch
        previousEpoch = content.rotation?.previousEpoch.epoch
        slots = content.slotInfos
        copies = region.copies.enumerated().map { index, copy in
            guard index != tampered else { return .tampered }
            guard case .success(let image) = copy else { return .damaged }
            return image.content.generation == content.generation ? .current : .stale
        }
    }
}

extension SealedDatabase {
    /// Reads what a file's header says to anyone. Needs no key, and checks none of it against one.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notSealed`, `plainDatabase`, `unsupportedVersion`,
    ///   `damagedHeader`, `inputOutput`.
    public static func publicHeader(of path: String) throws(SealedFileError) -> PublicHeader {
        PublicHeader(try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base))
    }

    /// Reads what the file's header says now, with the MACs of both copies checked.
    ///
    /// - Throws: `SealedFileError`: as ``publicHeader(of:)``, and `tamperedHeader`, `locked`.
    public func publicHeader() throws(SealedFileError) -> PublicHeader {
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        try ring.follow(region)
        return PublicHeader(region, tampered: try region.tampering(under: try ring.masterKey())?.copy)
    }
}
