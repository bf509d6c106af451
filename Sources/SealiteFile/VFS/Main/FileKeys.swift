import CSQLite

/// The keys of an open database file, loaded from its header and kept current with it.
@safe package final class FileKeys {
    private let base: BaseFile
    private let origin: FileOrigin
    /// The codec that seals and opens the file's pages; nil before the keys were loaded, and while the file is empty.
    private(set) var codec: PageCodec? {
        didSet { unsafe uncounted = codec.map { unsafe .passUnretained($0) } }
    }
    /// The content of `codec` as an unretained reference: retaining the codec for each page would cost time.
    private(set) var uncounted: Unmanaged<PageCodec>?

    init(base: BaseFile, origin: FileOrigin) {
        self.base = base
        self.origin = origin
    }

    /// A Boolean value that says whether a rotation is in progress, according to the header as last read.
    var isRotating: Bool { codec?.ring.isRotating ?? false }

    /// Returns the codec with the keys of the file's header; nil while the file is empty.
    @discardableResult
    func load() throws(VFSFailure) -> PageCodec? {
        if let codec { return codec }
        let bytes = try base.bytes(HeaderLayout.regionByteCount, at: 0).get()
        guard !bytes.isEmpty else { return nil }
        let region = try sealing { () throws(SealedFileError) in try HeaderRegion(parsing: bytes) }
        guard let ring = KeyRegistry.ring(for: region.content, path: origin.path, handle: origin.handleNumber) else {
            throw VFSFailure(.notUnlocked())
        }
        guard !ring.isLocked else { throw VFSFailure(.keysLocked(origin.path)) }
        try sealing { () throws(SealedFileError) in try ring.follow(region) }
        return adopt(ring)
    }

    /// Returns the codec with the keys of the file's header. Throws `notSealed` if the file is empty.
    func require() throws(VFSFailure) -> PageCodec {
        guard let codec = try load() else { throw VFSFailure(.notSealed(byteCount: 0)) }
        return codec
    }

    /// Rereads the header and adopts its keys. Called for a page that names an epoch that the header, as last read,
    /// doesn't name.
    package func followHeader() throws(VFSFailure) {
        guard let codec else { return }
        let region = try HeaderFile.read(base)
        try sealing { () throws(SealedFileError) in try codec.ring.follow(region) }
    }

    /// Writes the header of a file that SQLite creates itself (VACUUM INTO), at the first write to the file or its
    /// journal, and returns the codec with the new keys.
    func createHeader(pageSize: Int) throws(VFSFailure) -> PageCodec {
        precondition(codec == nil, "a second header would lose the keys of the first")
        guard let template = origin.template, SealedPageSize.isValid(pageSize) else {
            throw VFSFailure(
                SQLITE_IOERR_WRITE,
                .refusedWrite(
                    "a sealed database can't have pages of \(pageSize) bytes",
                    hint: "choose a page size that is a power of two from 1024 to 65536"))
        }
        let made = try sealing { () throws(SealedFileError) in
            try template.followHeader(vfs: origin.baseVFS)
            return try template.makeHeader(pageSize: pageSize, path: origin.path)
        }
        try HeaderFile.writeNew(made.image, on: base)
        return adopt(made.ring)
    }

    private func adopt(_ ring: KeyRing) -> PageCodec {
        let made = PageCodec(ring: ring, use: .main)
        precondition(codec == nil, "calls borrow the codec without retaining it")
        codec = made
        return made
    }
}

extension SealedFileError {
    static func notUnlocked() -> SealedFileError {
        SealedFileError(
            .notUnlocked, "the database is sealed and isn't unlocked in this process",
            hint: "unlock the database with its key before opening connections")
    }
}

/// The parameters with which SQLite opened a database file through the encrypting VFS.
struct FileOrigin {
    let path: String
    /// The address of the file's name in SQLite's memory, by which its journal and WAL are found.
    let nameKey: UInt
    /// The name of the underlying VFS, through which a rotation's sidecar is opened.
    let baseVFS: String
    /// The keys for the header if SQLite itself creates the file; nil otherwise.
    let template: CreationTemplate?
    let creation: Creation
    /// The number of the handle whose keys the URI requests; nil if it requests none.
    let handleNumber: Int?

    /// The way in which an opening begins a database: not at all, in an empty file, or in a file that it makes.
    enum Creation { case none, filled, made }
}
