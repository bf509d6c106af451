import CSQLite
import SealiteCrypto

/// The keys of a database that SQLite itself creates: the master key and slots of an unlocked database, with a new
/// database id and page key.
struct CreationTemplate {
    let ring: KeyRing

    /// The URI parameter that names, by database id in hex, the unlocked database whose master key and slots to use.
    static let parameter = "sealite_like"

    /// Returns the template for a file that is about to be created: the unlocked database that the URI parameter names
    /// or, without the parameter, the only unlocked database. Returns nil if the named database isn't unlocked, or if
    /// none is named and not exactly one is unlocked.
    static func find(_ name: UnsafePointer<CChar>) -> CreationTemplate? {
        if let text = unsafe sqlite3_uri_parameter(name, parameter) {
            return unsafe KeyRegistry.ring(for: hexBytes(String(cString: text))).map(CreationTemplate.init)
        }
        return KeyRegistry.onlyRing.map(CreationTemplate.init)
    }

    /// Returns the reason why no template exists for a file that is about to be created.
    static func reasonForNone(_ name: UnsafePointer<CChar>, _ path: String) -> SealedFileError {
        let what = "\"\(path)\" doesn't exist and can't be created"
        let count = KeyRegistry.unlockedCount
        guard count > 0 else {
            return SealedFileError(
                .noSuchFile, "\(what): no database is unlocked whose keys could be used",
                hint: FileRemedy.createAndUnlock.hint)
        }
        let isNamed = unsafe sqlite3_uri_parameter(name, parameter) != nil
        return SealedFileError(
            .refused,
            isNamed
                ? "\(what): the URI parameter \(parameter) names no database that is unlocked, or one of which several copies are"
                : "\(what): several databases, or copies of one, are unlocked, and the URI doesn't name the one whose keys to use",
            hint: FileRemedy.nameTemplate(parameter: parameter).hint)
    }

    /// Adopts the slots and keys that the unlocked database has now: another process may have changed or removed some
    /// since its header was last read. Does nothing for a database whose file hasn't been written yet.
    func followHeader(vfs: String) throws(SealedFileError) {
        guard FilePermissions.size(of: ring.path) > 0 else { return }
        let known = ring.generation
        let region = try BaseHandle.readHeader(ring.path, vfs: vfs)
        try ring.follow(region)
        try ring.requireNotBefore(known, region)
    }

    /// Makes the header of a new file, and the key ring for it, from the slots and keys of the unlocked database as last
    /// read.
    func makeHeader(pageSize: Int, path: String) throws(SealedFileError) -> (image: HeaderImage, ring: KeyRing) {
        assert(SealedPageSize.isValid(pageSize))
        let (master, source) = try ring.masterKeyAndContent()
        let applicationKey = try ring.applicationKey()
        let image = try SealedFileError.mappingCrypto { () throws(CryptoError) in
            let databaseID = try SecureRandom.bytes(16)
            let content = HeaderContent(
                pageSize: pageSize, databaseID: databaseID, masterID: master.id, generation: 1, freshness: 0,
                epoch: try master.wrap(try PageKey.random(), epoch: 1, databaseID: databaseID), rotation: nil,
                slots: try source.slots.map { (slot) throws(CryptoError) in
                    try slot.map { (slot) throws(CryptoError) in
                        try slot.moved(from: source.databaseID, to: databaseID, master: master)
                    }
                },
                applicationKey: try applicationKey.map { (key) throws(CryptoError) in
                    try master.wrap(key, databaseID: databaseID)
                })
            return try HeaderImage(content, master: master)
        }
        let copy = try KeyRing(
            opened: SlotOpening.Opened(master: master, kek: nil, slotID: ring.slotID),
            region: try HeaderRegion(parsing: image.bytes + image.bytes), path: path)
        assert(copy.databaseID != ring.databaseID, "a new file has an id of its own")
        assert(copy.generation == 1 && copy.currentEpoch == 1)
        KeyRegistry.add(copy)
        return (image, copy)
    }
}
