import SealiteCrypto

/// What a sealed file's header says to anyone: no key is needed, and nothing secret is in it.
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
    /// What each of the two copies is like, copy 0 first.
    public let copies: [CopyState]

    /// Whether a rotation of the keys was begun and not ended.
    public var isRotating: Bool { previousEpoch != nil }

    /// What one of the two header copies is like.
    public enum CopyState: String, Sendable, Codable {
        /// It holds the newest generation.
        case current
        /// It is whole and holds an older generation, as a crash between two writes leaves it.
        case stale
        /// Its checksum doesn't fit, as a torn write leaves it, or it isn't there.
        case damaged
        /// It is whole, and someone without the key made it. Only who has the key can tell.
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

extension SlotInfo: Codable {
    private enum CodingKeys: String, CodingKey {
        case number, id, kind, label, logN, r, p, fingerprint, isAuthenticated
    }

    /// Writes the kind by its name, the fingerprint of a recovery slot, and scrypt's parameters beside the other fields where there are any.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(number, forKey: .number)
        try container.encode(id, forKey: .id)
        try container.encode(kind.name, forKey: .kind)
        try container.encode(label, forKey: .label)
        try container.encodeIfPresent(cost?.logN, forKey: .logN)
        try container.encodeIfPresent(cost?.r, forKey: .r)
        try container.encodeIfPresent(cost?.p, forKey: .p)
        try container.encodeIfPresent(fingerprint, forKey: .fingerprint)
        // Only where a program should look twice.
        if !isAuthenticated { try container.encode(false, forKey: .isAuthenticated) }
    }

    /// Reads what `encode(to:)` wrote.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let name = try container.decode(String.self, forKey: .kind)
        guard let kind = SlotKind.allCases.first(where: { $0.name == name }) else {
            throw DecodingError.dataCorruptedError(forKey: .kind, in: container, debugDescription: "no such slot kind")
        }
        var cost: Scrypt.Cost?
        if let logN = try container.decodeIfPresent(Int.self, forKey: .logN) {
            cost = Scrypt.Cost(
                logN: logN, r: try container.decode(Int.self, forKey: .r), p: try container.decode(Int.self, forKey: .p)
            )
        }
        self.init(
            number: try container.decode(Int.self, forKey: .number), id: try container.decode(String.self, forKey: .id),
            kind: kind, label: try container.decode(String.self, forKey: .label), cost: cost,
            fingerprint: try container.decodeIfPresent(String.self, forKey: .fingerprint))
    }
}
