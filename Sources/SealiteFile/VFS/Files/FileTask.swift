import CSQLite

/// A function that runs inside the VFS on the open database file of the connection that requests it.
package final class FileTask {
    private let body: (MainFile, PageCodec) throws(SealedFileError) -> Void
    private(set) var failure: SealedFileError?

    package init(_ body: @escaping (MainFile, PageCodec) throws(SealedFileError) -> Void) { self.body = body }

    func perform(on file: MainFile) throws(VFSFailure) {
        assert(failure == nil, "a task that failed isn't run again")
        do throws(SealedFileError) {
            guard let sealed = file.keys.codec else { throw .notSealed(byteCount: 0) }
            try body(file, sealed)
        } catch {
            failure = error
            throw VFSFailure(error)
        }
    }

    /// Creates a task that changes the header; the caller must hold SQLite's write lock. `change` receives the header
    /// on disk and returns the header to write, whose generation it must have raised, or nil to change nothing.
    package static func headerChange(
        _ change: @escaping (HeaderRegion, KeyRing) throws(SealedFileError) -> HeaderImage?
    ) -> FileTask {
        FileTask { (file, sealed) throws(SealedFileError) in
            let known = sealed.ring.generation
            let region = try file.region()
            try sealed.ring.requireNotBefore(known, region)
            try sealed.ring.follow(region)
            try sealed.ring.requireAuthentic(region)
            if let reason = sealed.ring.tampering { throw .tamperedHeader(reason) }
            assert(file.isLockedForWriting, "the header is changed under SQLite's write lock")
            guard let image = try change(region, sealed.ring) else { return }
            try SealedFileError.mapping { () throws(VFSFailure) in
                try HeaderFile.replace(region, with: image, on: file.base)
            }
            try sealed.ring.follow(try file.region())
            assert(
                sealed.ring.isLocked || sealed.ring.generation >= image.content.generation,
                "the ring has the new header")
        }
    }
}

extension MainFile {
    func region() throws(SealedFileError) -> HeaderRegion {
        try SealedFileError.mapping { () throws(VFSFailure) in try HeaderFile.read(base) }
    }
}
