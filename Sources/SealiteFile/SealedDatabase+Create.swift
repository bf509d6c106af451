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
