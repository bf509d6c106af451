import CSQLite

/// Work on the open database file itself, carried out inside the VFS on the connection that asks for it.
package final class FileTask {
    private let body: (MainFile, PageCodec) throws(SealedFileError) -> Void
    private(set) var failure: SealedFileError?

    package init(_ body: @escaping (MainFile, PageCodec) throws(SealedFileError) -> Void) { self.body = body }

    func perform(on file: MainFile) throws(VFSFailure) {
        do throws(SealedFileError) {
            guard let sealed = file.keys.codec else { throw .notSealed(byteCount: 0) }
            try body(file, sealed)
        } catch {
            failure = error
            throw VFSFailure(error)
        }
    }

    /// A change of the header, for which the caller holds SQLite's write lock. `change` gets the header as it is now and
    /// returns the one to write, its generation raised; nil for no change.
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
            guard let image = try change(region, sealed.ring) else { return }
            try SealedFileError.mapping { () throws(VFSFailure) in
                try HeaderFile.replace(region, with: image, on: file.base)
            }
            try sealed.ring.follow(try file.region())
        }
    }
}

extension MainFile {
    func region() throws(SealedFileError) -> HeaderRegion {
        try SealedFileError.mapping { () throws(VFSFailure) in try HeaderFile.read(base) }
    }
}
