import CSQLite
import SealiteCrypto

/// Statement journals, sorter runs, VACUUM's copy, temporary databases: sealed in units under a random key that is in
/// memory only and dies with the file. Any size, any offset. `Documentation/FORMAT.md` §9.
@safe final class TemporaryFile: VFSFile {
    private static let unitTextByteCount = 4096
    private static let unitByteCount = 4096 + PageTrailer.byteCount

    private let cipher: XAESCipher
    private var nonces = NonceSource()
    private let associatedData: UnsafeMutableRawBufferPointer
    private let text: UnsafeMutableRawPointer
    private let sealed: UnsafeMutableRawPointer
    /// The unit whose text is in `text`, and whether it must still be written.
    private var held: Int64?
    private var heldIsDirty = false
    private var byteCount: Int64 = 0

    init(sealing base: BaseFile) throws(SealedFileError) {
        cipher = try SlotOpening.mapped { () throws(CryptoError) in
            try XAESCipher(key: try SecretBytes.random(byteCount: 32), cachedPrefixCount: 4)
        }
        unsafe associatedData = .allocate(byteCount: 8, alignment: 8)
        unsafe text = .allocate(byteCount: Self.unitByteCount, alignment: 64)
        unsafe sealed = .allocate(byteCount: Self.unitByteCount, alignment: 64)
        unsafe memset(text, 0, Self.unitByteCount)
        unsafe memset(sealed, 0, Self.unitByteCount)
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
            if step == Self.unitTextByteCount { try takeOver(unit) } else { try hold(unit) }
            unsafe memcpy(text + within, buffer + done, step)
            heldIsDirty = true
            done += step
            byteCount = max(byteCount, offset + Int64(done))
        }
    }

    private func place(of offset: Int64) -> (unit: Int64, within: Int) {
        let parts = offset.quotientAndRemainder(dividingBy: Int64(Self.unitTextByteCount))
        return (parts.quotient, Int(parts.remainder))
    }

    /// Brings a unit's text into `text`: zeros where it was never written.
    private func hold(_ unit: Int64) throws(VFSFailure) {
        guard held != unit else { return }
        try writeHeld()
        held = nil
        let place = unit * Int64(Self.unitByteCount)
        let code = unsafe base.read(into: sealed, Self.unitByteCount, at: place)
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        if unsafe isHole(sealed) {
            unsafe memset(text, 0, Self.unitTextByteCount)
        } else {
            try open(unit)
        }
        held = unit
    }

    /// A unit that will be overwritten whole needn't be read.
    private func takeOver(_ unit: Int64) throws(VFSFailure) {
        guard held != unit else { return }
        try writeHeld()
        held = unit
    }

    private func isHole(_ unit: UnsafeRawPointer) -> Bool {
        unsafe UnsafeRawBufferPointer(start: unit + Self.unitTextByteCount, count: PageTrailer.byteCount)
            .allSatisfy { $0 == 0 }
    }

    private func open(_ unit: Int64) throws(VFSFailure) {
        unsafe associatedData.storeBytes(of: unit, as: Int64.self)
        let isAuthentic = try sealing { () throws(SealedFileError) in
            try SlotOpening.mapped { () throws(CryptoError) in
                unsafe try cipher.open(
                    sealed, byteCount: Self.unitTextByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: sealed + Self.unitTextByteCount,
                    tag: sealed + (Self.unitTextByteCount + PageTrailer.tag), into: text)
            }
        }
        guard isAuthentic else {
            throw VFSFailure(
                SQLITE_IOERR_DATA, SealedFileError(.inputOutput, "a temporary file was altered while it was in use"))
        }
    }

    private func writeHeld() throws(VFSFailure) {
        guard let unit = held, heldIsDirty else { return }
        unsafe associatedData.storeBytes(of: unit, as: Int64.self)
        let trailer = unsafe sealed + Self.unitTextByteCount
        try sealing { () throws(SealedFileError) in
            unsafe try nonces.next(into: trailer)
            try SlotOpening.mapped { () throws(CryptoError) in
                unsafe try cipher.seal(
                    text, byteCount: Self.unitTextByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: trailer, into: sealed, tag: trailer + PageTrailer.tag)
            }
        }
        unsafe memset(trailer + PageTrailer.epoch, 0, 8)
        try unsafe check(base.write(sealed, Self.unitByteCount, at: unit * Int64(Self.unitByteCount)))
        heldIsDirty = false
    }

    override func truncate(to size: Int64) throws(VFSFailure) {
        guard size < byteCount else { return }
        let (unit, within) = place(of: size)
        if within > 0 {
            // What is cut off must read as zeros if the file grows again.
            try hold(unit)
            unsafe memset(text + within, 0, Self.unitTextByteCount - within)
            heldIsDirty = true
        }
        if let held, held > unit || (held == unit && within == 0) { (self.held, heldIsDirty) = (nil, false) }
        byteCount = size
        try check(base.truncate(to: (within > 0 ? unit + 1 : unit) * Int64(Self.unitByteCount)))
    }

    override func size() throws(VFSFailure) -> Int64 { byteCount }

    /// A temporary file needn't outlive anything.
    override func sync(_ flags: CInt) throws(VFSFailure) {}

    override func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(VFSFailure) {
        switch operation {
        case SQLITE_FCNTL_SIZE_HINT, SQLITE_FCNTL_CHUNK_SIZE: return
        case SQLITE_FCNTL_MMAP_SIZE: unsafe argument?.assumingMemoryBound(to: sqlite3_int64.self).pointee = 0
        default: throw VFSFailure(SQLITE_NOTFOUND)
        }
    }
}
