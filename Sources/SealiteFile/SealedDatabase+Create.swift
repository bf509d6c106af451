import CSQLite
import SealiteCrypto

extension SealedDatabase {
    /// Creates an empty sealed database with one key slot (two with a recovery key), and unlocks it.
    ///
    /// The file appears whole or not at all, with mode 0600; an existing file is never touched.
    ///
    /// - Throws: `SealedFileError`: `exists`, `noSuchFile` if the folder doesn't exist, `permission`, `diskFull`,
    ///   `invalidArgument`, `costRefused`, `inputOutput`.
    public static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions = CreationOptions()
    ) throws(SealedFileError) -> SealedDatabase {
        try create(path, slot: slot, options: options, vfs: .standard)
    }

    package static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions = CreationOptions(), vfs: VFSChoice
    ) throws(SealedFileError) -> SealedDatabase {
        try vfs.register()
        try requirePageSize(of: options)
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

    /// Creates a sealed database with the content that `fill` writes through a connection to it, and unlocks it. The
    /// file gets its name only after `fill` has succeeded, unless `vfs` is on top of another VFS than SQLite's "unix":
    /// it then has its name from the beginning.
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
        try requirePageSize(of: options)
        let file = try NewFile(path, writer: .connection(base: vfs.base))
        let new = try NewDatabase(slot: slot, options: options, path: path)
        try file.write(try new.image(autoVacuum: options.autoVacuum))
        let place = file.temporaryPath
        try write(to: SealedDatabase(path: place, ring: new.ring, vfs: vfs.reaching(place)), fill)
        try file.publish()
        return SealedDatabase(path: path, ring: new.ring, vfs: vfs)
    }

    /// Creates a sealed database with the content that `fill` writes. `fill` receives a handle on the draft, which is
    /// the file under its temporary name. The file gets its final name only after `fill` has succeeded; `fill` must
    /// close every connection that it opens.
    package static func create(
        _ path: String, slot: borrowing NewSlotSecret, options: CreationOptions,
        draft fill: (SealedDatabase) throws -> Void
    ) throws {
        let vfs = VFSChoice.standard
        try vfs.register()
        try requirePageSize(of: options)
        let file = try NewFile(path, writer: .connections)
        let new = try NewDatabase(slot: slot, options: options, path: path)
        try file.write(try new.image(autoVacuum: options.autoVacuum))
        let draft = SealedDatabase(path: file.temporaryPath, ring: new.ring, vfs: vfs)
        defer { draft.lock() }
        try fill(draft)
        // Content left in a log would be lost under the temporary name.
        for suffix in ["-wal", "-journal"] where FilePermissions.exists(file.temporaryPath + suffix) {
            throw SealedFileError(
                .busy, "\"\(path)\" wasn't created: a connection to it is still open",
                hint: "close every connection before the function that fills the new database returns")
        }
        try file.publish()
    }

    private static func requirePageSize(of options: CreationOptions) throws(SealedFileError) {
        guard SealedPageSize.isValid(options.pageSize) else {
            throw SealedFileError(
                .invalidArgument, "a page size of \(options.pageSize) bytes can't be sealed",
                hint: "choose a power of two from 1024 to 65536")
        }
    }

    /// Runs `fill` on a connection to the draft, which is the new file under its temporary name, and closes the
    /// connection.
    private static func write(
        to draft: SealedDatabase, _ fill: (RawConnection) throws(SealedFileError) -> Void
    ) throws(SealedFileError) {
        try fill(try draft.connect())
    }

    /// Creates a file with these bytes through an SQLite VFS other than the standard one, directly under its final
    /// name, because such a VFS offers no rename. Throws if the file exists.
    private static func write(_ bytes: [UInt8], to path: String, through vfs: String) throws(SealedFileError) {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE
        let handle = try BaseHandle(path, vfs: vfs, flags: flags)
        try SealedFileError.mapping { () throws(VFSFailure) in
            try check(handle.file.write(bytes, at: 0))
            try check(handle.file.sync(SQLITE_SYNC_FULL))
        }
    }
}

/// Options for a new sealed database: its page size, which can't be changed later, its auto-vacuum mode and its first
/// key slots.
public struct CreationOptions: Sendable {
    /// The page size in bytes: a power of two from 1024 to 65536.
    public var pageSize: Int
    /// The auto-vacuum mode.
    public var autoVacuum: AutoVacuum
    /// The label of the first key slot, at most 32 bytes of UTF-8; empty for none.
    public var label: String
    /// A recovery key, which gets the second key slot; nil for none.
    public var recoveryKey: RecoveryKey?
    /// The id of the first key slot, 16 bytes; nil for a random one.
    package var slotID: [UInt8]?
    /// The application key of the new file, a random key from which the layers above the file derive keys of their own;
    /// nil for none.
    package var applicationKey: ApplicationKey?

    /// Creates options. The defaults are 4096-byte pages, no auto-vacuum, no label and no recovery slot.
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

/// The keys and the header of a database under construction.
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
        assert(Set(slots.compactMap { $0?.label }).count == slots.count, "slots have different labels")
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

    /// Creates the keys and header of a database that has the master key and slots of an unlocked one, with a new
    /// database id and page key.
    package init(like source: KeyRing, path: String) throws(SealedFileError) {
        let made = try CreationTemplate(ring: source).makeHeader(pageSize: source.pageSize, path: path)
        (ring, header) = (made.ring, made.image)
    }

    /// Returns the bytes of the whole new file: both header copies, and the sealed page 1 of an empty database.
    package func image(autoVacuum: AutoVacuum) throws(SealedFileError) -> [UInt8] {
        let pages = PageCodec(ring: ring, use: .main)
        let pageOne = PageOneImage.emptyDatabase(pageSize: ring.pageSize, autoVacuum: autoVacuum)
        assert(pageOne.count == ring.pageSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.pageSize, alignment: 64)
        defer { unsafe buffer.deallocate() }
        unsafe buffer.copyBytes(from: pageOne)
        guard let start = buffer.baseAddress else { return [] }
        do throws(VFSFailure) {
            unsafe try pages.seal(start, number: 1, pageOneSerial: 1)
        } catch {
            throw error.detail
                ?? SealedFileError(.internalFailure, "the first page of the new database can't be encrypted")
        }
        let sealed = unsafe Array(UnsafeRawBufferPointer(start: pages.scratch, count: ring.pageSize))
        assert(2 * header.bytes.count == HeaderLayout.regionByteCount, "page 1 follows the header region")
        return header.bytes + header.bytes + sealed
    }
}
