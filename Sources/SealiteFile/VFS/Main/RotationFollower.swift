import CSQLite

/// Does the part of a key rotation that falls to every process that has the file open, whether that process or another
/// one rotates the keys: completes unfinished batches, and reads pages that are being rewritten.
final class RotationFollower {
    private static let attempts = 50

    private let base: BaseFile
    private let origin: FileOrigin
    private let keys: FileKeys
    private let ahead: ReadAhead
    private let pageOne: PageOneCopy

    init(base: BaseFile, origin: FileOrigin, keys: FileKeys, ahead: ReadAhead, pageOne: PageOneCopy) {
        self.base = base
        self.origin = origin
        self.keys = keys
        self.ahead = ahead
        self.pageOne = pageOne
    }

    private func sidecar() throws(VFSFailure) -> RotationSidecar? {
        guard let codec = keys.codec else { return nil }
        return try sealing { () throws(SealedFileError) in
            try RotationSidecar(of: origin.path, vfs: origin.baseVFS, ring: codec.ring, create: false)
        }
    }

    /// Completes the batch of pages that an interrupted key rotation left open: writes their images from the sidecar to
    /// the database file again. Called under a lock that excludes all other writers of the file and before this process
    /// writes anything, so that a following WAL checkpoint or rollback overwrites the images and not the reverse.
    func finishOpenBatch() throws(VFSFailure) {
        guard keys.isRotating, let codec = keys.codec, let sidecar = try sidecar(), let batch = try sidecar.batch(),
            batch.isOpen
        else {
            return
        }
        ahead.forget()
        let image = UnsafeMutableRawPointer.allocate(byteCount: codec.pageSize, alignment: 64)
        assert(batch.pages.count <= SidecarLayout.pageLimit)
        defer { unsafe image.deallocate() }
        for (index, number) in batch.pages.enumerated() {
            // An authentic page is the same as the image, or newer.
            if try isAuthentic(number, codec) { continue }
            guard unsafe try sidecar.readImage(index, of: batch, into: image) else { continue }
            unsafe memcpy(codec.scratch, image, codec.pageSize)
            guard case .opened = unsafe try codec.open(codec.scratch, number: number) else { continue }
            unsafe try check(base.write(image, codec.pageSize, at: codec.offset(of: number)))
        }
        try check(base.sync(SQLITE_SYNC_FULL))
        try sidecar.close(batch)
    }

    private func isAuthentic(_ number: UInt32, _ codec: PageCodec) throws(VFSFailure) -> Bool {
        let code = unsafe base.read(into: codec.scratch, codec.pageSize, at: codec.offset(of: number))
        guard code == SQLITE_OK else {
            guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            return false
        }
        guard case .opened = unsafe try codec.open(codec.scratch, number: number) else { return false }
        return true
    }

    /// Rereads a page that isn't authentic during a rotation, from the file and from the sidecar, until the sidecar no
    /// longer changes: an active or crashed rotation may have written it in part.
    func read(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ codec: PageCodec
    ) throws(VFSFailure) -> PageCodec.Opening {
        var opening = PageCodec.Opening.notAuthentic
        var serialSeen: UInt64?
        for _ in 0..<Self.attempts {
            opening = try unsafe readOnce(number, into: buffer, codec)
            if case .opened = opening { return opening }
            guard let sidecar = try sidecar(), let batch = try sidecar.batch() else {
                // The sidecar is gone: the rotation ended, so one more read decides.
                guard serialSeen != .max else { return opening }
                serialSeen = .max
                continue
            }
            if batch.isOpen, let index = batch.pages.firstIndex(of: number),
                unsafe try sidecar.readImage(index, of: batch, into: buffer)
            {
                if number == 1 { unsafe pageOne.keepTrailer(buffer + codec.textByteCount) }
                let fromSidecar = unsafe try codec.open(buffer, number: number)
                if case .opened = fromSidecar { return fromSidecar }
            } else if batch.serial == serialSeen {
                return opening
            }
            serialSeen = batch.serial
            sqlite3_sleep(1)
        }
        return opening
    }

    private func readOnce(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ codec: PageCodec
    ) throws(VFSFailure) -> PageCodec.Opening {
        try unsafe check(base.read(into: buffer, codec.pageSize, at: codec.offset(of: number)))
        if number == 1 { unsafe pageOne.keepTrailer(buffer + codec.textByteCount) }
        let opening = unsafe try codec.open(buffer, number: number)
        if case .unknownEpoch = opening { try keys.followHeader() }
        return opening
    }
}
