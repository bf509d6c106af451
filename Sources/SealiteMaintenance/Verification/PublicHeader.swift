import SealiteCrypto
public import SealiteFile

/// The public content of a sealed file's header, readable without a key.
public struct PublicHeader: Sendable, Codable, Equatable {
    /// The version of the format: 1.
    public let formatVersion: Int
    /// The page size in bytes.
    public let pageSize: Int
    /// 16 random bytes, in hex, that identify the database.
    public let databaseID: String
    /// 16 random bytes, in hex, that identify the master key and change with each rotation.
    public let masterID: String
    /// A counter that each change of the header raises by one.
    public let generation: UInt64
    /// A counter that each freshness record raises by one.
    public let freshnessCounter: UInt64
    /// The name of the cipher of pages and keys: XAES-256-GCM.
    public let cipher: String
    /// The epoch, that is, the number of the page key, that pages are sealed under. Each key rotation raises it by one.
    public let epoch: UInt32
    /// The preceding epoch while a rotation is in progress; nil otherwise.
    public let previousEpoch: UInt32?
    /// The key slots in use.
    public let slots: [SlotInfo]
    /// The states of the two header copies, copy 0 first.
    public let copies: [CopyState]

    /// A Boolean value that says whether a key rotation has begun and not ended.
    public var isRotating: Bool { previousEpoch != nil }

    /// The state of one of the two header copies.
    public enum CopyState: String, Sendable, Codable {
        /// The copy holds the newest generation.
        case current
        /// The copy is whole and has an older generation, as after a crash between two writes.
        case stale
        /// The copy can't be used: its checksum or a field is invalid, as after a torn write, or it is missing.
        case damaged
        /// The copy is whole but was written without the key. Only a holder of the key can determine that.
        case tampered
    }
}

extension PublicHeader {
    /// Creates the description. `tampered` is the number of the copy that the key showed to be forged; nil if there is
    /// none.
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
    /// Reads the public content of a file's header without authenticating it.
    ///
    /// - Throws: `SealedFileError`: `noSuchFile`, `permission`, `notSealed`, `plainDatabase`, `unsupportedVersion`,
    ///   `damagedHeader`, `inputOutput`.
    public static func publicHeader(of path: String) throws(SealedFileError) -> PublicHeader {
        PublicHeader(try BaseHandle.readHeader(path, vfs: VFSChoice.standard.base))
    }

    /// Reads the public content of the file's header and checks the MACs of both copies.
    ///
    /// - Throws: `SealedFileError`: as ``publicHeader(of:)``, and `tamperedHeader`, `locked`.
    public func publicHeader() throws(SealedFileError) -> PublicHeader {
        let region = try BaseHandle.readHeader(path, vfs: vfs.base)
        try ring.follow(region)
        return PublicHeader(region, tampered: try region.tampering(under: try ring.masterKey())?.copy)
    }
}
