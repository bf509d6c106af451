import CSQLite
import SealiteCrypto

/// The layout of a new sealed database. None of it can be changed later without writing the file anew.
public struct CreationOptions: Sendable {
    /// The page size in bytes: a power of two from 1024 to 65536.
    public var pageSize: Int
    /// The way in which free pages are given back.
    public var autoVacuum: AutoVacuum
    /// The label of the first slot, at most 32 bytes of UTF-8.
    public var label: String
    /// A recovery key, which gets the second slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The id of the first slot; nil for a random one.
    package var slotID: [UInt8]?
    /// The application key that the file carries; nil for none.
    package var applicationKey: ApplicationKey?

    /// 4096-byte pages, no auto-vacuum, no label, no recovery slot.
    public init(
        pageSize: Int = SealedPageSize.standard, autoVacuum: AutoVacuum = .none, label: String = "",
        recoveryKey: RecoveryKey? = nil
    ) {
        self.pageSize = pageSize
        self.autoVacuum = autoVacuum
        self.label = label
        self.recoveryKey = recoveryKey
    }
}

extension SealedDatabase {
    /// Makes a new, empty sealed database with one key slot (two with a recovery key), and unlocks it.
    ///
    /// The file appears whole or not at all, with mode 0600; an existing file is never touched.
    ///
    /// - Throws: `SealedFileError`: `exists`, `permission`, `diskFull`, `invalidArgument`, `costRefused`, `inputOutput`.
    public static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions = CreationOptions()
    ) throws(SealedFileError) -> SealedDatabase {
        try create(path, slot: slot, options: options, vfs: .standard)
    }

    package static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions = CreationOptions(), vfs: VFSChoice
    ) throws(SealedFileError) -> SealedDatabase {
        try vfs.register()
        guard SealedPageSize.isValid(options.pageSize) else {
            throw SealedFileError(
                .invalidArgument, "a page size of \(options.pageSize) bytes can't be sealed",
                hint: "choose a power of two from 1024 to 65536")
        }
        let new = try NewDatabase(slot: slot, options: options, path: path)
        let bytes = try new.image(autoVacuum: options.autoVacuum)
        if vfs.base == VFSChoice.standard.base {
            let file = try NewFile(path)
            try file.write(bytes)
            try file.publish()
        } else {
            try write(bytes, to: path, through: vfs.base)
        }
        return SealedDatabase(path: path, ring: new.ring, vfs: vfs)
    }

    /// As `create`, with content: the file has its name only when `fill` has put everything in.
    package static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions, vfs: VFSChoice = .standard,
        fill: (RawConnection) throws(SealedFileError) -> Void
    ) throws(SealedFileError) -> SealedDatabase {
        guard vfs.base == VFSChoice.standard.base else {
            let made = try create(path, slot: slot, options: options, vfs: vfs)
            try fill(try made.connect())
            return made
        }
        try vfs.register()
        let file = try NewFile(path)
        let new = try NewDatabase(slot: slot, options: options, path: path)
        try file.write(try new.image(autoVacuum: options.autoVacuum))
        try write(to: SealedDatabase(path: file.temporaryPath, ring: new.ring, vfs: vfs), fill)
        try file.publish()
        return SealedDatabase(path: path, ring: new.ring, vfs: vfs)
    }

    /// As `create`, with content that `fill` puts in through handles of the draft: the file has its name only when that is
    /// done, and every connection on the draft must be closed by then.
    package static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions,
        draft fill: (SealedDatabase) throws -> Void
    ) throws {
        let vfs = VFSChoice.standard
        try vfs.register()
        let file = try NewFile(path)
        let new = try NewDatabase(slot: slot, options: options, path: path)
        try file.write(try new.image(autoVacuum: options.autoVacuum))
        let draft = SealedDatabase(path: file.temporaryPath, ring: new.ring, vfs: vfs)
        defer { draft.lock() }
        try fill(draft)
        // What a log still held would stay behind under the temporary name.
        for suffix in ["-wal", "-journal"] where FilePermissions.exists(file.temporaryPath + suffix) {
            throw SealedFileError(
                .busy, "\"\(path)\" could not be written to its end: a connection on it is still open")
        }
        try file.publish()
    }

    /// The connection is closed at the end.
    private static func write(
        to draft: SealedDatabase, _ fill: (RawConnection) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        try fill(try draft.connect())
    }

    /// Writes through a VFS that isn't the system's, as tests stack them: such a VFS knows no rename.
    private static func write(_ bytes: [UInt8], to path: String, through vfs: String) throws(SealedFileError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE
        let handle = try BaseHandle(path, vfs: vfs, flags: flags)
        try SealedFileError.mapping { () throws(VFSFailure) in
            try check(handle.file.write(bytes, at: 0))
            try check(handle.file.sync(SQLITE_SYNC_FULL))
        }
    }
}

/// The keys and the header of a database that is being made.
package struct NewDatabase {
    package let ring: KeyRing
    private let header: HeaderImage

    package init(slot secret: borrowing NewSlotSecret, options: CreationOptions, path: String) throws(SealedFileError) {
        let master = try SealedFileError.mappingCrypto { () throws(CryptoError) in try MasterKey.random() }
        let databaseID = try SealedFileError.mappingCrypto { () throws(CryptoError) in try SecureRandom.bytes(16) }
        let first = try SlotOpening.make(
            secret, label: options.label, id: options.slotID, master: master, databaseID: databaseID)
        var slots: [KeySlot?] = [first.slot]
        if let recoveryKey = options.recoveryKey {
            let label = options.label == "recovery" ? "" : "recovery"
            slots.append(
                try SlotOpening.make(.recovery(recoveryKey), label: label, master: master, databaseID: databaseID).slot)
        }
        slots += Array(repeating: nil, count: HeaderLayout.slotCount - slots.count)
        header = try SealedFileError.mappingCrypto { () throws(CryptoError) in
            let content = HeaderContent(
                pageSize: options.pageSize, databaseID: databaseID, masterID: master.id, generation: 1, freshness: 0,
                epoch: try master.wrap(try PageKey.random(), epoch: 1, databaseID: databaseID), rotation: nil,
                slots: slots,
                applicationKey: try options.applicationKey.map { (key) throws(CryptoError) in
                    try master.wrap(key, databaseID: databaseID)
                })
            return try HeaderImage(content, master: master)
        }
        let region = try HeaderRegion(parsing: header.bytes + header.bytes)
        let opened = SlotOpening.Opened(master: master, kek: first.kek, slotID: first.slot.id)
        ring = try KeyRing(opened: opened, region: region, path: path)
        for slot in slots { ring.vouch(for: slot) }
    }

    /// With the master key and the slots of a database that is unlocked, an id and a page key of its own.
    package init(like source: KeyRing, path: String) throws(SealedFileError) {
        let made = try CreationTemplate(ring: source).makeHeader(pageSize: source.pageSize, path: path)
        (ring, header) = (made.ring, made.image)
    }

    /// The whole file: header region and a sealed, empty page 1.
    package func image(autoVacuum: AutoVacuum) throws(SealedFileError) -> [UInt8] {
        let pages = PageCodec(ring: ring, use: .main)
        let pageOne = PageOneImage.emptyDatabase(pageSize: ring.pageSize, autoVacuum: autoVacuum)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.pageSize, alignment: 64)
        defer { unsafe buffer.deallocate() }
        unsafe buffer.copyBytes(from: pageOne)
        guard let start = buffer.baseAddress else { return [] }
        do throws(VFSFailure) {
            unsafe try pages.seal(start, number: 1, spare: 1)
        } catch {
            throw error.detail ?? SealedFileError(.internalFailure, "sealing page 1 failed")
        }
        let sealed = unsafe Array(UnsafeRawBufferPointer(start: pages.scratch, count: ring.pageSize))
        return header.bytes + header.bytes + sealed
    }
}
