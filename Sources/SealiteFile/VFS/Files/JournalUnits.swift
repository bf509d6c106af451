import CSQLite
import SealiteCrypto

/// The units (encrypted 4096-byte blocks) of one sealed journal file: seals and opens them, and reads the bytes of
/// SQLite's logical journal from them.
@safe package final class JournalUnits {
    package let base: BaseFile
    private let codec: PageCodec
    private let text: UnsafeMutableRawPointer
    /// The index of the unit whose plaintext is in `text`; nil if there is none.
    private var opened: Int?
    private let ring: KeyRing

    package init(base: BaseFile, ring: KeyRing) {
        self.base = base
        self.ring = ring
        codec = PageCodec(ring: ring, use: .journal)
        unsafe text = .allocate(byteCount: JournalLayout.unitByteCount, alignment: 64)
        unsafe text.initializeMemory(as: UInt8.self, repeating: 0, count: JournalLayout.unitByteCount)
    }

    deinit {
        unsafe memset(text, 0, JournalLayout.unitByteCount)
        unsafe text.deallocate()
    }

    func beginSealing() throws(SealedFileError) { try codec.beginSealing() }

    // MARK: Writing

    func append(
        _ kind: JournalUnitHeader.Kind, logicalOffset: Int64, payload: [UInt8], to live: LiveJournal
    ) throws(VFSFailure) {
        precondition(live.unitCount < Int(UInt32.max), "a unit is bound to its number")
        precondition(payload.count <= JournalLayout.payloadByteCount, "the payload is copied into its unit")
        if live.unitCount == 0, try base.size().get() == 0 { try writePreamble(of: live) }
        let header = JournalUnitHeader(
            id: live.preamble.id, logicalOffset: logicalOffset, payloadByteCount: payload.count,
            synced: live.syncedUnitCount, serial: live.preamble.serial, kind: kind)
        opened = nil
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: text, count: JournalLayout.textByteCount)
        unsafe memset(text, 0, JournalLayout.textByteCount)
        unsafe header.write(to: buffer)
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[JournalLayout.unitHeaderByteCount...])
            .copyBytes(from: payload)
        let index = live.unitCount
        unsafe try codec.seal(text, number: UInt32(truncatingIfNeeded: index), pageOneSerial: 0)
        let place = JournalLayout.offset(ofUnit: index)
        if let record = live.superRecord, place + Int64(JournalLayout.unitByteCount) > record.place {
            try self.place(record.bytes, behind: live)
        }
        try unsafe check(base.write(codec.scratch, JournalLayout.unitByteCount, at: place))
        live.unitCount += 1
        live.map.add(unit: index, header)
        assert(
            live.superRecord.map { $0.place >= JournalLayout.offset(ofUnit: live.unitCount) } ?? true,
            "units don't overwrite the record")
        opened = index
    }

    /// Writes the preamble that makes this journal the live one.
    ///
    /// In a file that holds units of an older journal, as in PERSIST mode, the caller must have synced unit 0 first,
    /// except with synchronous=OFF: a torn preamble then belongs to unit 0's journal, and an older journal, whose
    /// transaction has committed, can never be rolled back.
    func writePreamble(of live: LiveJournal) throws(VFSFailure) {
        let bytes = try sealing { () throws(SealedFileError) in
            try SealedFileError.mappingCrypto { () throws(CryptoError) in try live.preamble.encoded() }
        }
        try check(base.write(bytes, at: 0))
        live.hasPreamble = true
    }

    // MARK: Opening

    /// Opens unit `index` into `text`, and returns its header; nil if the unit isn't whole and authentic, or belongs to
    /// another database. `followHeader` must read the header again; it is called if the unit names an epoch that the
    /// header, as last read, doesn't name.
    package func open(_ index: Int, followHeader: () throws(VFSFailure) -> Void) throws(VFSFailure)
        -> JournalUnitHeader?
    {
        if opened != index {
            opened = nil
            let code = unsafe base.read(
                into: codec.scratch, JournalLayout.unitByteCount, at: JournalLayout.offset(ofUnit: index))
            guard code == SQLITE_OK else {
                guard code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
                return nil
            }
            var opening = try openSealed(index)
            if case .unknownEpoch(let epoch) = opening, epoch != 0 {
                try followHeader()
                opening = try openSealed(index)
            }
            guard case .opened = opening else { return nil }
        }
        let header = unsafe Array(UnsafeRawBufferPointer(start: text, count: JournalLayout.unitHeaderByteCount))
        opened = index
        return JournalUnitHeader.parse(header)
    }

    private func openSealed(_ index: Int) throws(VFSFailure) -> PageCodec.Opening {
        unsafe try codec.open(codec.scratch, number: UInt32(truncatingIfNeeded: index), into: text)
    }

    /// Reads bytes of the logical journal: zeros where nothing was written. Throws a short read if the range extends
    /// beyond the end, and `damagedJournal` if a unit isn't authentic.
    package func read(
        _ live: LiveJournal, into buffer: UnsafeMutableRawPointer, _ byteCount: Int, at offset: Int64
    ) throws(VFSFailure) {
        let available = Int(max(0, min(Int64(byteCount), live.map.byteCount - offset)))
        unsafe memset(buffer + available, 0, byteCount - available)
        var done = 0
        while done < available {
            let found = live.map.find(offset + Int64(done))
            let count = min(found.byteCount, available - done)
            assert(count > 0, "who reads goes on")
            if let unit = found.unit {
                guard try open(unit, followHeader: {}) != nil else {
                    throw VFSFailure(
                        .damagedJournal(
                            "its \(JournalLayout.unitByteCount) bytes at offset \(JournalLayout.offset(ofUnit: unit)) are"
                                + " missing or failed authentication"
                        ))
                }
                unsafe memcpy(buffer + done, text + JournalLayout.unitHeaderByteCount + found.payloadOffset, count)
            } else {
                unsafe memset(buffer + done, 0, count)
            }
            done += count
        }
        guard available == byteCount else { throw .shortRead }
    }

    // MARK: The super-journal record

    /// Writes the super-journal record in clear text after the units, so that any process finds it without the key. The
    /// record is complete except for its magic number, which SQLite is about to write at offset `offset` of the logical
    /// journal.
    func announceSuperJournal(of live: LiveJournal, magicAt offset: Int64) throws(VFSFailure) {
        let end = offset + Int64(SuperRecord.magic.count)
        assert(offset >= 0 && offset <= live.map.byteCount, "the record precedes its magic number")
        let found = try SuperRecord.read(endingAt: end) { (count, start) throws(VFSFailure) in
            let known = try self.bytes(of: live, Int(min(Int64(count), offset - start)), at: start)
            return known + SuperRecord.magic.suffix(count - known.count)
        }
        guard let record = found else { return }
        // No unit of an older journal may follow the record.
        if live.superRecord == nil { try check(base.truncate(to: JournalLayout.offset(ofUnit: live.unitCount))) }
        try place(record, behind: live)
    }

    /// Moves the clear-text super-journal record so far back that the mark unit, which is written after the coming
    /// fsync, doesn't overwrite it. Called before the fsync, since a later move might be lost.
    func keepSuperRecordBehindMark(of live: LiveJournal) throws(VFSFailure) {
        guard let record = live.superRecord, record.place < JournalLayout.offset(ofUnit: live.unitCount + 1) else {
            return
        }
        try place(record.bytes, behind: live)
    }

    /// Writes the clear-text record at a distance of three units after the last unit: room for the end of the record in
    /// the sealed journal, SQLite's record count, and the mark unit.
    private func place(_ record: [UInt8], behind live: LiveJournal) throws(VFSFailure) {
        assert(record.count > SuperRecord.magic.count, "the record holds a name")
        let place = JournalLayout.offset(ofUnit: live.unitCount + 3)
        try check(base.write(record, at: place))
        live.superRecord = (record, place)
    }

    /// Returns the whole super-journal record at the end of the logical journal; nil if there is none.
    package func superRecord(of live: LiveJournal) throws(VFSFailure) -> [UInt8]? {
        try SuperRecord.read(endingAt: live.map.byteCount) { (count, offset) throws(VFSFailure) in
            try self.bytes(of: live, count, at: offset)
        }
    }

    private func bytes(of live: LiveJournal, _ count: Int, at offset: Int64) throws(VFSFailure) -> [UInt8] {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { unsafe bytes.deallocate() }
        guard let start = bytes.baseAddress else { return [] }
        unsafe try read(live, into: start, count, at: offset)
        return unsafe Array(bytes)
    }

    /// Returns the clear-text super-journal record at the end of the journal file; nil if there is none.
    package func clearSuperRecord() throws(VFSFailure) -> [UInt8]? {
        try SuperRecord.read(endingAt: try base.size().get()) { (count, offset) throws(VFSFailure) in
            try self.base.bytes(count, at: offset).get()
        }
    }
}

extension SealedFileError {
    static func damagedJournal(_ what: String) -> SealedFileError {
        SealedFileError(
            .damagedJournal, "the rollback journal is damaged: \(what)",
            hint: FileRemedy.keepJournal.hint)
    }
}

/// SQLite's record at the end of a rollback journal that belongs to a super-journal: page number, name, length,
/// checksum, magic. https://sqlite.org/atomiccommit.html
enum SuperRecord {
    static let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    private static let nameLimit: UInt32 = 64 * 1024

    static func read(
        endingAt end: Int64, _ bytes: (Int, Int64) throws(VFSFailure) -> [UInt8]
    ) throws(VFSFailure) -> [UInt8]? {
        guard end >= 20 else { return nil }
        let tail = try bytes(16, end - 16)
        guard tail.count == 16, tail.suffix(8) == magic[...] else { return nil }
        let length = WALHeader.readUInt32(tail, at: 0)
        guard length > 0, length <= nameLimit, Int64(length) + 20 <= end else { return nil }
        let record = try bytes(Int(length) + 20, end - Int64(length) - 20)
        guard record.count == Int(length) + 20 else { return nil }
        // SQLite sums the name's bytes as signed characters.
        let sum = record[4..<4 + Int(length)].reduce(UInt32(0)) {
            $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1)))
        }
        return sum == WALHeader.readUInt32(tail, at: 4) ? record : nil
    }
}
