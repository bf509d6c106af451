import CSQLite
import SealiteCrypto

/// A temporary file, such as a statement journal, a sorter run, VACUUM's copy or a temporary database, sealed in units
/// under a random key that exists only in memory and is wiped when the file closes. Accepts any size and offset.
/// `Documentation/FORMAT.md` §9.
@safe final class TemporaryFile: VFSFile {
    private static let unitTextByteCount = 4096
    private static let unitByteCount = 4096 + PageTrailer.byteCount

    private let cipher: XAESCipher
    private var nonces = NonceSource()
    private let associatedData: UnsafeMutableRawBufferPointer
    private let text: UnsafeMutableRawPointer
    private let sealed: UnsafeMutableRawPointer
    /// The index of the unit whose plaintext is in `text`; nil if there is none.
    private var held: Int64?
    /// A Boolean value that says whether the plaintext in `text` must still be sealed and written.
    private var heldIsDirty = false
    /// The range of the held unit's bytes that are in `text`; nil if all are. The other bytes are read only when they
    /// are needed: sequential writes, as to a statement journal, never need them.
    private var covered: Range<Int>?
    /// The number of units up to the last one that was written; later units read as zeros.
    private var writtenUnitCount: Int64 = 0
    /// The units that were skipped by writes past the end, and that read as zeros. They are recorded in memory and not
    /// inferred from the file: zeros on disk at the position of a written unit mean that the file was altered. Unit 0
    /// is recorded as the tracker's page 1, and so on.
    private var holes = HoleTracker()
    private var byteCount: Int64 = 0

    init(sealing base: BaseFile) throws(SealedFileError) {
        cipher = try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try XAESCipher(key: try SecretBytes.random(byteCount: 32), cachedPrefixCount: 4)
        }
        unsafe associatedData = .allocate(byteCount: 8, alignment: 8)
        unsafe text = .allocate(byteCount: Self.unitByteCount, alignment: 64)
        unsafe sealed = .allocate(byteCount: Self.unitByteCount, alignment: 64)
        unsafe memset(text, 0, Self.unitByteCount)
        unsafe memset(sealed, 0, Self.unitByteCount)
        holes.noteEnd(0)
        super.init(base: base)
    }

    deinit {
        unsafe memset(text, 0, Self.unitByteCount)
        unsafe text.deallocate()
        unsafe sealed.deallocate()
        unsafe associatedData.deallocate()
    }

    override func read(into buffer: UnsafeMutableRawPointer, _ count: Int, at offset: Int64) throws(VFSFailure) {
        let available = Int(max(0, min(Int64(count), byteCount - offset)))
        var done = 0
        while done < available {
            let (unit, within) = place(of: offset + Int64(done))
            let step = min(available - done, Self.unitTextByteCount - within)
            try hold(unit)
            unsafe memcpy(buffer + done, text + within, step)
            done += step
        }
        unsafe memset(buffer + available, 0, count - available)
        guard available == count else { throw .shortRead }
    }

    override func write(_ buffer: UnsafeRawPointer, _ count: Int, at offset: Int64) throws(VFSFailure) {
        var done = 0
        while done < count {
            let (unit, within) = place(of: offset + Int64(done))
            let step = min(count - done, Self.unitTextByteCount - within)
            try cover(within..<within + step, of: unit)
            unsafe memcpy(text + within, buffer + done, step)
            heldIsDirty = true
            done += step
            byteCount = max(byteCount, offset + Int64(done))
        }
    }

    private func place(of offset: Int64) -> (unit: Int64, within: Int) {
        let parts = offset.quotientAndRemainder(dividingBy: Int64(Self.unitTextByteCount))
        assert(offset >= 0 && byteCount >= 0)
        return (parts.quotient, Int(parts.remainder))
    }

    /// Loads a unit's plaintext into `text`: zeros if it was never written.
    private func hold(_ unit: Int64) throws(VFSFailure) {
        if held == unit { return try complete() }
        try writeHeld()
        held = nil
        if try unsafe !readUnit(unit, into: text) { unsafe memset(text, 0, Self.unitTextByteCount) }
        assert(covered == nil, "a unit that is held whole has all its bytes")
        held = unit
    }

    /// Prepares for a write to a range of a unit. The bytes beside it are read only if necessary.
    private func cover(_ range: Range<Int>, of unit: Int64) throws(VFSFailure) {
        assert(!range.isEmpty && range.upperBound <= Self.unitTextByteCount, "the range lies in the unit")
        if held != unit {
            try writeHeld()
            held = unit
            covered = range
        } else if let known = covered {
            if range.lowerBound > known.upperBound || range.upperBound < known.lowerBound { return try complete() }
            covered = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
        }
        if covered?.count == Self.unitTextByteCount { covered = nil }
    }

    /// Loads the missing bytes of the held unit into `text`.
    private func complete() throws(VFSFailure) {
        guard let unit = held, let known = covered else { return }
        let rest = Self.unitTextByteCount - known.upperBound
        assert(heldIsDirty, "what is covered in part was written")
        assert(rest >= 0)
        if try unsafe readUnit(unit, into: sealed) {
            unsafe memcpy(text, sealed, known.lowerBound)
            unsafe memcpy(text + known.upperBound, sealed + known.upperBound, rest)
        } else {
            unsafe memset(text, 0, known.lowerBound)
            unsafe memset(text + known.upperBound, 0, rest)
        }
        covered = nil
    }

    /// Reads a unit and opens it into `place`; returns false if it was never written.
    private func readUnit(_ unit: Int64, into place: UnsafeMutableRawPointer) throws(VFSFailure) -> Bool {
        guard unit < writtenUnitCount, !holes.contains(Self.number(of: unit)) else { return false }
        let code = unsafe base.read(into: sealed, Self.unitByteCount, at: unit * Int64(Self.unitByteCount))
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        try unsafe open(unit, into: place)
        return true
    }

    /// Returns the page number by which the tracker of holes knows a unit.
    private static func number(of unit: Int64) -> UInt32 { UInt32(clamping: unit + 1) }

    private func open(_ unit: Int64, into place: UnsafeMutableRawPointer) throws(VFSFailure) {
        unsafe associatedData.storeBytes(of: unit, as: Int64.self)
        let isAuthentic = try sealing { () throws(SealedFileError) in
            try SealedFileError.mappingCrypto { () throws(CryptoError) in
                unsafe try cipher.open(
                    sealed, byteCount: Self.unitTextByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: sealed + Self.unitTextByteCount,
                    tag: sealed + (Self.unitTextByteCount + PageTrailer.tag), into: place)
            }
        }
        guard isAuthentic else {
            throw VFSFailure(
                SQLITE_IOERR_DATA,
                SealedFileError(
                    .inputOutput,
                    "a temporary file of SQLite failed authentication: it was altered while it was in use, or the disk returned wrong data"
                ))
        }
    }

    private func writeHeld() throws(VFSFailure) {
        assert(!heldIsDirty || held != nil, "what is to be written belongs to a unit")
        guard heldIsDirty, let unit = held else { return }
        try complete()
        unsafe associatedData.storeBytes(of: unit, as: Int64.self)
        let trailer = unsafe sealed + Self.unitTextByteCount
        assert(covered == nil, "a unit is sealed whole")
        try sealing { () throws(SealedFileError) in
            unsafe try nonces.next(into: trailer)
            try SealedFileError.mappingCrypto { () throws(CryptoError) in
                unsafe try cipher.seal(
                    text, byteCount: Self.unitTextByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: trailer, into: sealed, tag: trailer + PageTrailer.tag)
            }
        }
        unsafe memset(trailer + PageTrailer.epoch, 0, 8)
        try unsafe check(base.write(sealed, Self.unitByteCount, at: unit * Int64(Self.unitByteCount)))
        holes.willWrite(Self.number(of: unit))
        heldIsDirty = false
        writtenUnitCount = max(writtenUnitCount, unit + 1)
    }

    override func truncate(to size: Int64) throws(VFSFailure) {
        guard size < byteCount else { return }
        let (unit, within) = place(of: size)
        if within > 0 {
            // Truncated bytes must read as zeros if the file grows again.
            try hold(unit)
            unsafe memset(text + within, 0, Self.unitTextByteCount - within)
            heldIsDirty = true
        }
        if let held, held > unit || (held == unit && within == 0) {
            (self.held, heldIsDirty, covered) = (nil, false, nil)
        }
        byteCount = size
        let unitCount = within > 0 ? unit + 1 : unit
        writtenUnitCount = min(writtenUnitCount, unitCount)
        holes.willTruncate(toPage: UInt32(clamping: writtenUnitCount))
        holes.noteEnd(UInt32(clamping: writtenUnitCount))
        assert(writtenUnitCount <= unitCount, "no unit remains behind the end")
        assert(held.map { $0 < unitCount } ?? true, "no unit behind the end is held")
        try check(base.truncate(to: unitCount * Int64(Self.unitByteCount)))
    }

    override func size() throws(VFSFailure) -> Int64 { byteCount }

    /// Does nothing: a temporary file needn't survive a crash.
    override func sync(_ flags: CInt) throws(VFSFailure) {}

    override func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        switch operation {
        case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: return
        case SQLITE_FCNTL_MMAP_SIZE: unsafe argument?.assumingMemoryBound(to: sqlite3_int64.self).pointee = 0
        default: throw VFSFailure(SQLITE_NOTFOUND)
        }
    }
}
