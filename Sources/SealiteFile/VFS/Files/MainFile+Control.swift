import CSQLite

extension MainFile {
    /// The file controls that are passed on to the underlying VFS. Controls that neither this list nor
    /// `answerControl(_:_:)` names are answered with SQLITE_NOTFOUND.
    private static let passedOn: Set<CInt> = [
        SQLITE_FCNTL_LOCKSTATE, SQLITE_FCNTL_LAST_ERRNO, SQLITE_FCNTL_SYNC_OMITTED, SQLITE_FCNTL_PERSIST_WAL,
        SQLITE_FCNTL_OVERWRITE, SQLITE_FCNTL_BUSYHANDLER, SQLITE_FCNTL_TEMPFILENAME, SQLITE_FCNTL_HAS_MOVED,
        SQLITE_FCNTL_LOCK_TIMEOUT, SQLITE_FCNTL_SIZE_LIMIT, SQLITE_FCNTL_CKPT_START, SQLITE_FCNTL_EXTERNAL_READER,
    ]

    func answerControl(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        switch operation {
        case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE:
            // Accepted and ignored: growing the file in advance would create pages that were never sealed.
            return
        case SQLITE_FCNTL_MMAP_SIZE:
            unsafe argument?.assumingMemoryBound(to: sqlite3_int64.self).pointee = 0
        case SQLITE_FCNTL_POWERSAFE_OVERWRITE:
            unsafe argument?.assumingMemoryBound(to: CInt.self).pointee = 1
        case SQLITE_FCNTL_VFSNAME:
            unsafe argument?.assumingMemoryBound(to: UnsafeMutablePointer<CChar>?.self).pointee =
                unsafe sealite_copy_string(SealedVFS.name)
        case SQLITE_FCNTL_PRAGMA:
            try unsafe PragmaRules.check(argument, pageSize: keys.codec?.pageSize)
        case SQLITE_FCNTL_SYNC, SQLITE_FCNTL_CKPT_DONE:
            // Sent before a commit and before a checkpoint takes effect, even if nothing is synced (`PRAGMA
            // synchronous=OFF`).
            try holes.fill()
            unsafe try check(base.fileControl(operation, argument))
        case SQLITE_FCNTL_COMMIT_PHASETWO:
            assert(holes.isEmpty, "no hole outlives a commit")
            serials.transactionEnded()
            wal?.transactionEnded()
            _ = unsafe base.fileControl(operation, argument)
        case PrivateControl.perform:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            ahead.forget()
            let task = unsafe Unmanaged<FileTask>.fromOpaque(argument).takeUnretainedValue()
            try task.perform(on: self)
        case PrivateControl.capturePageOne:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            reader.capture = unsafe Unmanaged<PageOneCapture>.fromOpaque(argument).takeUnretainedValue()
        case PrivateControl.keepReadLocks:
            guard let argument = unsafe argument else { throw VFSFailure(SQLITE_MISUSE) }
            walIndex.readLocks = unsafe Unmanaged<ReadLockKeeper>.fromOpaque(argument).takeUnretainedValue()
        case PrivateControl.stopWrites:
            stop = unsafe argument.map { unsafe Unmanaged<StatementStop>.fromOpaque($0).takeUnretainedValue() }
        case _ where Self.passedOn.contains(operation):
            unsafe try check(base.fileControl(operation, argument))
        default:
            throw VFSFailure(SQLITE_NOTFOUND)
        }
    }
}

extension MainFile {
    /// Records the reason why SQLite can't create the log, log index or journal at the path `sidecar` beside the
    /// database: for callers that try to open the database, and for connections that have it open. In WAL mode a
    /// database can't even be read without them.
    func noteWhyNotMade(_ sidecar: String) {
        guard !FilePermissions.exists(sidecar), let reason = FilePermissions.reasonNotToMake(sidecar) else { return }
        let hint =
            "SQLite needs a log or journal beside the database, in WAL mode even to read: copy the database to a folder that can be written"
        let failure = SealedFileError(reason.code, reason.reason, hint: hint)
        lastFailure = failure
        FailureLog.note(failure, opening: origin.path)
    }
}
