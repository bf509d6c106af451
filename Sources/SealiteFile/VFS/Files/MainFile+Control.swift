import CSQLite

extension MainFile {
    /// File controls that mean something below us and are passed on; everything unknown is answered "not found".
    private static let passedOn: Set<CInt> = [
        SQLITE_FCNTL_LOCKSTATE, SQLITE_FCNTL_LAST_ERRNO, SQLITE_FCNTL_SYNC_OMITTED, SQLITE_FCNTL_PERSIST_WAL,
        SQLITE_FCNTL_OVERWRITE, SQLITE_FCNTL_BUSYHANDLER, SQLITE_FCNTL_TEMPFILENAME, SQLITE_FCNTL_HAS_MOVED,
        SQLITE_FCNTL_LOCK_TIMEOUT, SQLITE_FCNTL_SIZE_LIMIT, SQLITE_FCNTL_CKPT_START, SQLITE_FCNTL_EXTERNAL_READER,
    ]

    func answerControl(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        switch operation {
        case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE:
            // Taken and ignored: growing the file ahead would make pages that were never sealed.
            return
        case SQLITE_FCNTL_MMAP_SIZE:
            unsafe argument?.assumingMemoryBound(to: sqlite3_int64.self).pointee = 0
        case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
            unsafe argument?.assumingMemoryBound(to: CInt.self).pointee = 1
        case SQLITE_FCNTL_VFSNAME:
            unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee =
                unsafe sealite_copy_string(SealedVFS.name)
        case SQLITE_FCNTL_PRAGMA:
            try unsafe PragmaRules.check(argument, pageSize: sealed?.pageSize)
        case SQLITE_FCNTL_SYNC, SQLITE_FCNTL_CKPT_DONE:
            // Told before a commit and before a checkpoint counts, also where nothing is synced (`PRAGMA synchronous=OFF`).
            try fillHoles()
            unsafe try check(base.fileControl(operation, argument))
        case SQLITE_FCNTL_COMMIT_PHASETWO:
            transactionEnded()
            wal?.transactionEnded()
            _ = unsafe base.fileControl(operation, argument)
        case PrivateControl.perform:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            sealed?.ahead.forget()
            let task = unsafe Unmanaged<FileTask>.fromOpaque(argument).takeUnretainedValue()
            try task.perform(on: self)
        case PrivateControl.capturePageOne:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            pageOneCapture = unsafe Unmanaged<PageOneCapture>.fromOpaque(argument).takeUnretainedValue()
        case PrivateControl.keepReadLocks:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            readLocks = unsafe Unmanaged<ReadLockKeeper>.fromOpaque(argument).takeUnretainedValue()
        case _ where Self.passedOn.contains(operation):
            unsafe try check(base.fileControl(operation, argument))
        default:
            throw VFSFailure(SQLITE_NOTFOUND)
        }
    }
}

extension MainFile {
    /// Notes why a log, its index or a journal couldn't be made beside the database: in WAL mode nothing can even be read then.
    func noteWhyNotMade(_ sidecar: String) {
        guard !FilePermissions.exists(sidecar), let reason = FilePermissions.reasonNotToMake(sidecar) else { return }
        let hint =
            "SQLite keeps its log or journal beside the database, in WAL mode also to read: copy it to a folder that can be written"
        FailureLog.note(SealedFileError(reason.code, reason.reason, hint: hint), besides: self)
    }
}

/// Pragmas that a sealed file can't follow, refused with a reason instead of ignored. https://sqlite.org/pragma.html
enum PragmaRules {
    /// Pragmas of products that patch SQLite. The stock library would ignore them without a word.
    private static let foreignNames: Set<String> = [
        "key", "rekey", "hexkey", "hexrekey", "textkey", "textrekey", "activate_extensions",
        "kdf_iter", "fast_kdf_iter", "hmac_check", "mc_legacy_wal",
    ]

    /// `argument` is SQLite's `char *[3]`: where to put a message, the pragma's name, its value.
    static func check(_ argument: UnsafeMutableRawPointer?, pageSize: Int?) throws(VFSFailure) {
        guard let argument = unsafe argument else { throw VFSFailure(SQLITE_NOTFOUND) }
        let words = unsafe argument.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self)
        guard let nameWord = unsafe words[1] else { throw VFSFailure(SQLITE_NOTFOUND) }
        let name = unsafe String(cString: nameWord).lowercased()
        let value = unsafe words[2].map { unsafe String(cString: $0) }
        guard let refusal = refusal(name, value, pageSize: pageSize) else { throw VFSFailure(SQLITE_NOTFOUND) }
        unsafe words[0] = unsafe sealite_copy_string(refusal.description)
        throw VFSFailure(SQLITE_ERROR, refusal)
    }

    static func refusal(_ name: String, _ value: String?, pageSize: Int?) -> SealedFileError? {
        if foreignNames.contains(name) || name.hasPrefix("cipher") {
            return SealedFileError(
                .refused, "PRAGMA \(name) does nothing on a sealed database: keys never travel in SQL",
                hint: "unlock the file before opening it, and change keys with 'sealite key'")
        }
        if name == "page_size", let value, let pageSize, Int(value) != pageSize {
            return SealedFileError(
                .refused, "the page size of a sealed database is fixed at creation (\(pageSize) bytes)",
                hint: "write a copy with another page size through 'sealite decrypt' and 'sealite encrypt'")
        }
        return nil
    }
}

/// What may be written as a page.
enum WriteRules {
    static func check(
        _ buffer: UnsafeRawPointer, _ byteCount: Int, at offset: Int64, pageSize: Int
    ) throws(VFSFailure) {
        guard byteCount == pageSize, offset >= 0, offset % Int64(pageSize) == 0 else {
            throw refused("a write of \(byteCount) bytes at \(offset) isn't a page of \(pageSize) bytes")
        }
        // A page from elsewhere, as sqlite3_backup from a plain file brings it: sealing would cut off its end.
        guard unsafe reserveIsEmpty(buffer, pageSize) else {
            throw refused("page \(offset / Int64(pageSize) + 1) has content in its 48 reserved bytes")
        }
        guard offset == 0 else { return }
        let statedSize =
            unsafe Int(buffer.load(fromByteOffset: 16, as: UInt8.self)) << 8
            | Int(buffer.load(fromByteOffset: 17, as: UInt8.self))
        let reserve = unsafe Int(buffer.load(fromByteOffset: 20, as: UInt8.self))
        guard statedSize == pageSize || (statedSize == 1 && pageSize == 65536) else {
            throw refused("page 1 states a page size of \(statedSize) bytes; the file has \(pageSize)")
        }
        guard reserve == HeaderLayout.reservedByteCount else {
            throw refused("page 1 reserves \(reserve) bytes in each page; a sealed file needs 48")
        }
    }

    /// True where the last 48 bytes are zeros, as SQLite leaves its reserved bytes.
    @inline(__always)
    static func reserveIsEmpty(_ page: UnsafeRawPointer, _ pageSize: Int) -> Bool {
        let reserve = unsafe page + (pageSize - HeaderLayout.reservedByteCount)
        var bits: UInt64 = 0
        for word in 0..<6 { bits |= unsafe reserve.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) }
        return bits == 0
    }

    private static func refused(_ reason: String) -> VFSFailure {
        VFSFailure(SQLITE_IOERR_WRITE, .refusedWrite(reason))
    }
}

extension SealedFileError {
    static func refusedWrite(_ reason: String) -> SealedFileError {
        SealedFileError(
            .refused, "the write was refused: \(reason)",
            hint: "make sealed databases with 'sealite create' or 'sealite encrypt'")
    }

    static func keyInURI(_ parameter: String) -> SealedFileError {
        SealedFileError(
            .refused,
            "the URI parameter \"\(parameter)\" does nothing on a sealed database: keys never travel in a URI",
            hint: "unlock the file before opening it, and change keys with 'sealite key'")
    }

    static func notUnlocked() -> SealedFileError {
        SealedFileError(
            .notUnlocked, "the database is sealed and wasn't unlocked in this process",
            hint: "unlock it with its key before opening it")
    }
}
