import CSQLite
import Glibc
import SealiteCrypto

/// Takes in a file's keys, and checks them before anything is sealed under them.
extension MainFile {
    /// The keys of the file's header; nil while the file is empty.
    func loadKeys() throws(VFSFailure) -> SealedPages? {
        if let sealed { return sealed }
        let bytes = try base.bytes(HeaderLayout.regionByteCount, at: 0).get()
        guard !bytes.isEmpty else { return nil }
        let region = try sealing { () throws(SealedFileError) in try HeaderRegion(parsing: bytes) }
        guard let ring = KeyRegistry.ring(for: region.content.databaseID, handle: handleNumber) else {
            throw VFSFailure(.notUnlocked())
        }
        guard !ring.isLocked else { throw VFSFailure(.keysLocked(path)) }
        try sealing { () throws(SealedFileError) in try ring.follow(region) }
        return adopt(ring)
    }

    @discardableResult
    func adopt(_ ring: KeyRing) -> SealedPages {
        let pages = SealedPages(ring: ring, use: .main)
        sealed = pages
        return pages
    }

    /// The keys, where the file can't be empty.
    func requireKeys() throws(VFSFailure) -> SealedPages {
        guard let sealed = try loadKeys() else { throw VFSFailure(.notSealed(byteCount: 0)) }
        return sealed
    }

    /// Reads the header again if another process may have changed it, and mends a stale copy. Called under a lock that
    /// allows writing.
    func prepareToSeal(mayWriteDatabase: Bool) throws(VFSFailure) {
        guard let sealed else { return }
        mustCheckHeader = false
        holes.forgetEnd()
        try requireName(atOnce: mayWriteDatabase)
        let known = sealed.ring.generation
        let owes = sealed.ring.owesHeaderCopy
        if let region = try owes ? HeaderFile.read(base) : readHeaderIfChanged(sealed.ring, since: known) {
            try sealing { () throws(SealedFileError) in
                try sealed.ring.requireNotBefore(known, region)
                try sealed.ring.follow(region)
            }
            if !sealed.ring.isTampered {
                try HeaderFile.heal(region, on: base)
                sealed.ring.headerCopyWasWritten()
            }
        }
        if sealed.ring.isTampered {
            throw VFSFailure(SQLITE_READONLY, .tamperedHeader(sealed.ring.tampering ?? ""))
        }
        try sealing { () throws(SealedFileError) in try sealed.codec.beginSealing() }
        if mayWriteDatabase, sealed.ring.isRotating { try finishOpenBatch() }
    }

    private func readHeaderIfChanged(_ ring: KeyRing, since known: UInt64) throws(VFSFailure) -> HeaderRegion? {
        try HeaderFile.readIfChanged(base, of: ring.databaseID, since: known)
    }

    private static let nameInterval = 50

    /// Refuses to write into a file that has lost its name: what is written there is lost with the last connection, and the
    /// log and journal of this name belong to another file by now.
    private func requireName(atOnce: Bool) throws(VFSFailure) {
        var clock = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &clock)
        let now = clock.tv_sec * 1000 + clock.tv_nsec / 1_000_000
        // Asking the system costs a small commit a tenth of its time.
        guard atOnce || now >= nameHolds else { return }
        nameHolds = now + Self.nameInterval
        var hasMoved: CInt = 0
        let code = unsafe base.fileControl(SQLITE_FCNTL_HAS_MOVED, &hasMoved)
        guard code != SQLITE_OK || hasMoved == 0 else { throw VFSFailure(.fileReplaced(path)) }
    }

    /// Reads the header again because a page names an epoch that it didn't.
    package func followHeader() throws(VFSFailure) {
        guard let sealed else { return }
        let region = try HeaderFile.read(base)
        try sealing { () throws(SealedFileError) in try sealed.ring.follow(region) }
    }

    /// SQLite creates the database itself (VACUUM INTO): the header comes with the first write to it or its journal.
    func createHeader(pageSize: Int) throws(VFSFailure) -> SealedPages {
        guard let template, SealedPageSize.isValid(pageSize) else {
            throw VFSFailure(
                SQLITE_IOERR_WRITE, .refusedWrite("a sealed database can't have pages of \(pageSize) bytes"))
        }
        let made = try sealing { () throws(SealedFileError) in try template.makeHeader(pageSize: pageSize, path: path) }
        try HeaderFile.writeNew(made.image, on: base)
        return adopt(made.ring)
    }
}
