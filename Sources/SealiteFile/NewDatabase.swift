import SealiteCrypto

/// The keys and the header of a database under construction.
package struct NewDatabase {
    package let ring: KeyRing
    private let header: HeaderImage

    package init(slot secret: borrowing NewSlotSecret, options: CreationOptions, path: String) throws(SealedFileError) {
        let master = try SealedFileError.mappingCrypto { () throws(CryptoError) in try MasterKey.random() }
        let databaseID = try SealedFileError.mappingCrypto { () throws(CryptoError) in try SecureRandom.bytes(16) }
        let first = try SlotOpening.make(
            secret, label: options.label, id: options.slotID, master: master, databaseID: databaseID)
        var slots: [KeySlot?] = [first.slot]
        if let recoveryKey = options.recoveryKey {
            let label = options.label == "recovery" ? "" : "recovery"
            slots.append(
                try SlotOpening.make(.recovery(recoveryKey), label: label, master: master, databaseID: databaseID).slot)
        }
        assert(Set(slots.compactMap { $0?.label }).count == slots.count, "slots have different labels")
        slots += Array(repeating: nil, count: HeaderLayout.slotCount - slots.count)
        header = try SealedFileError.mappingCrypto { () throws(CryptoError) in
            let content = HeaderContent(
                pageSize: options.pageSize, databaseID: databaseID, masterID: master.id, generation: 1, freshness: 0,
                epoch: try master.wrap(try PageKey.random(), epoch: 1, databaseID: databaseID), rotation: nil,
                slots: slots,
                applicationKey: try options.applicationKey.map { (key) throws(CryptoError) in
                    try master.wrap(key, databaseID: databaseID)
                })
            return try HeaderImage(content, master: master)
        }
        let region = try HeaderRegion(parsing: header.bytes + header.bytes)
        let opened = SlotOpening.Opened(master: master, kek: first.kek, slotID: first.slot.id)
        ring = try KeyRing(opened: opened, region: region, path: path)
        for slot in slots { ring.vouch(for: slot) }
    }

    /// Creates the keys and header of a database that has the master key and slots of an unlocked one, with a new
    /// database id and page key.
    package init(like source: KeyRing, path: String) throws(SealedFileError) {
        let made = try CreationTemplate(ring: source).makeHeader(pageSize: source.pageSize, path: path)
        (ring, header) = (made.ring, made.image)
    }

    /// Returns the bytes of the whole new file: both header copies, and the sealed page 1 of an empty database.
    package func image(autoVacuum: AutoVacuum) throws(SealedFileError) -> [UInt8] {
        let pages = PageCodec(ring: ring, use: .main)
        let pageOne = PageOneImage.emptyDatabase(pageSize: ring.pageSize, autoVacuum: autoVacuum)
        assert(pageOne.count == ring.pageSize)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: ring.pageSize, alignment: 64)
        defer { unsafe buffer.deallocate() }
        unsafe buffer.copyBytes(from: pageOne)
        guard let start = buffer.baseAddress else { return [] }
        do throws(VFSFailure) {
            unsafe try pages.seal(start, number: 1, pageOneSerial: 1)
        } catch {
            throw error.detail
                ?? SealedFileError(.internalFailure, "the first page of the new database can't be encrypted")
        }
        let sealed = unsafe Array(UnsafeRawBufferPointer(start: pages.scratch, count: ring.pageSize))
        assert(2 * header.bytes.count == HeaderLayout.regionByteCount, "page 1 follows the header region")
        return header.bytes + header.bytes + sealed
    }
}
