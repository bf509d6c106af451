import CSQLite
import SealiteCrypto

/// What every process that has the file open does about a rotation, its own or another's.
extension MainFile {
    private static let attempts = 50

    var isRotating: Bool { sealed?.ring.isRotating ?? false }

    private func sidecar() throws(VFSFailure) -> RotationSidecar? {
        guard let sealed else { return nil }
        return try sealing { () throws(SealedFileError) in
            try RotationSidecar(of: path, vfs: baseVFS, ring: sealed.ring, create: false)
        }
    }

    /// Finishes a batch that somebody left open. Called under a lock that keeps everybody else from writing the file, before
    /// anything is written to it: a WAL checkpoint or a hot journal comes after, and rightly wins.
    func finishOpenBatch() throws(VFSFailure) {
        guard isRotating, let sealed, let sidecar = try sidecar(), let batch = try sidecar.batch(), batch.isOpen else {
            return
        }
        ahead.forget()
        let image = UnsafeMutableRawPointer.allocate(byteCount: sealed.pageSize, alignment: 64)
        defer { unsafe image.deallocate() }
        for (index, number) in batch.pages.enumerated() {
            // A page that authenticates is the same or newer.
            if try isAuthentic(number, sealed) { continue }
            guard unsafe try sidecar.readImage(index, of: batch, into: image) else { continue }
            unsafe memcpy(sealed.scratch, image, sealed.pageSize)
            guard case .opened = unsafe try sealed.open(sealed.scratch, number: number) else { continue }
            unsafe try check(base.write(image, sealed.pageSize, at: sealed.offset(of: number)))
        }
        try check(base.sync(SQLITE_SYNC_FULL))
        try sidecar.close(batch)
    }

    private func isAuthentic(_ number: UInt32, _ sealed: PageCodec) throws(VFSFailure) -> Bool {
        let code = unsafe base.read(into: sealed.scratch, sealed.pageSize, at: sealed.offset(of: number))
        guard code == SQLITE_OK else {
            guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
            return false
        }
        guard case .opened = unsafe try sealed.open(sealed.scratch, number: number) else { return false }
        return true
    }

    /// A page that doesn't authenticate while a rotation is under way may be half written: by a rotator at work, or by one that
    /// died. Reads it again, and looks for it in the sidecar, until the sidecar stands still.
    func readDuringRotation(
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ sealed: PageCodec
    ) throws(VFSFailure) -> PageCodec.Opening {
        var opening = PageCodec.Opening.notAuthentic
        var serialSeen: UInt64?
        for _ in 0..<Self.attempts {
            opening = try unsafe readOnce(number, into: buffer, sealed)
            if case .opened = opening { return opening }
            guard let sidecar = try sidecar(), let batch = try sidecar.batch() else {
                // Gone: the rotation ended, and with it the reason for a second look, after one more read.
                guard serialSeen != .max else { return opening }
                serialSeen = .max
                continue
            }
            if batch.isOpen, let index = batch.pages.firstIndex(of: number),
                unsafe try sidecar.readImage(index, of: batch, into: buffer)
            {
                if number == 1 { unsafe pageOne.keepTrailer(buffer + sealed.textByteCount) }
                let fromSidecar = unsafe try sealed.open(buffer, number: number)
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
        _ number: UInt32, into buffer: UnsafeMutableRawPointer, _ sealed: PageCodec
    ) throws(VFSFailure) -> PageCodec.Opening {
        try unsafe check(base.read(into: buffer, sealed.pageSize, at: sealed.offset(of: number)))
        if number == 1 { unsafe pageOne.keepTrailer(buffer + sealed.textByteCount) }
        let opening = unsafe try sealed.open(buffer, number: number)
        if case .unknownEpoch = opening { try followHeader() }
        return opening
    }
}
