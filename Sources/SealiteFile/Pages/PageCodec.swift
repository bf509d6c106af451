import CSQLite
import SealiteCrypto
import Synchronization

/// The last 48 bytes of a sealed page or frame.
package enum PageTrailer {
    package static let byteCount = 48
    package static let tag = 24
    package static let epoch = 40
    static let spare = 44
}

/// Seals and opens the pages, frames or units of one file object.
///
/// Every call holds a lock of its own, uncontended but for `wipe()`, which another thread may call to end it.
// Sendable: `gate` guards every field that changes; `scratch` is for the thread that uses the file object.
@safe package final class PageCodec: DerivedKeys, @unchecked Sendable {
    package let ring: KeyRing
    private let use: KeyUse
    package let pageSize: Int
    /// The bytes of a page, frame or unit that are sealed; the trailer follows them.
    package let textByteCount: Int
    /// One page, frame or unit with its trailer, where `seal` puts it; the owner of the file object uses it within a call.
    package let scratch: UnsafeMutableRawPointer
    private let gate = Mutex<Void>(())
    private var nonces = NonceSource()
    private var current: (epoch: UInt32, cipher: XAESCipher)? {
        didSet { unsafe recent = current.map { unsafe ($0.epoch, .passUnretained($0.cipher)) } }
    }
    private var other: (epoch: UInt32, cipher: XAESCipher)?
    /// As `current`, for the calls of each page.
    private var recent: (epoch: UInt32, cipher: Unmanaged<XAESCipher>)?
    /// The data that a text is bound to: database, use, place, epoch and spare word; then the log's header, for frames.
    /// `Documentation/FORMAT.md` §6 to §8.
    private let associatedData: UnsafeMutableRawBufferPointer
    /// The epoch to seal under, as the header named it when the transaction began.
    private var sealingEpoch: UInt32
    private var isWiped = false

    private static let bindingByteCount = 32
    private static let frameBindingByteCount = 64

    package init(ring: KeyRing, use: KeyUse) {
        self.ring = ring
        self.use = use
        pageSize = ring.pageSize
        let byteCount =
            switch use {
            case .wal: ring.pageSize + WALHeader.frameHeaderByteCount
            case .journal: JournalLayout.unitByteCount
            case .main, .sidecar: ring.pageSize
            }
        textByteCount = byteCount - PageTrailer.byteCount
        unsafe scratch = .allocate(byteCount: byteCount, alignment: 64)
        unsafe scratch.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let bindingByteCount = use == .wal ? Self.frameBindingByteCount : Self.bindingByteCount
        unsafe associatedData = .allocate(byteCount: bindingByteCount, alignment: 8)
        unsafe associatedData.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe associatedData.copyBytes(from: ring.databaseID)
        unsafe associatedData.storeBytes(of: use.rawValue, toByteOffset: 16, as: UInt32.self)
        sealingEpoch = ring.currentEpoch
        ring.register(self)
    }

    deinit {
        ring.unregister(self)
        unsafe associatedData.deallocate()
        unsafe memset(scratch, 0, textByteCount + PageTrailer.byteCount)
        unsafe scratch.deallocate()
    }

    /// Called where a transaction begins: a new nonce prefix, and the epoch that the header names now.
    package func beginSealing() throws(SealedFileError) {
        try gate.withLock { (_) throws(SealedFileError) in
            try nonces.renewIfOld()
            sealingEpoch = ring.currentEpoch
            if !ring.isRotating { forgetOldEpochs() }
        }
    }

    /// Sets the 32 bytes that every frame of a WAL is bound to beside its place. Only for a codec of frames.
    package func bind(walHeader: UnsafeRawBufferPointer) {
        gate.withLock { _ in
            unsafe UnsafeMutableRawBufferPointer(rebasing: associatedData[Self.bindingByteCount...]).copyMemory(
                from: walHeader)
        }
    }

    // MARK: Sealing

    /// Seals a page, frame or unit into `scratch`, with its trailer behind it. `spare` is the serial where it is page 1, else 0.
    @inline(__always)
    package func seal(_ text: UnsafeRawPointer, number: UInt32, spare: UInt32) throws(VFSFailure) {
        try sealing { () throws(SealedFileError) in
            try gate.withLock { (_) throws(SealedFileError) in
                unsafe try sealLocked(text, number: number, spare: spare)
            }
        }
    }

    @inline(__always)
    private func sealLocked(_ text: UnsafeRawPointer, number: UInt32, spare: UInt32) throws(SealedFileError) {
        let epoch = sealingEpoch
        guard let cipher = try unsafe cipher(for: epoch) else { throw .unknownEpoch(epoch) }
        let trailer = unsafe scratch + textByteCount
        unsafe try nonces.next(into: trailer)
        unsafe trailer.storeBytes(of: epoch, toByteOffset: PageTrailer.epoch, as: UInt32.self)
        unsafe trailer.storeBytes(of: spare, toByteOffset: PageTrailer.spare, as: UInt32.self)
        bind(number: number, epoch: epoch, spare: spare)
        do throws(CryptoError) {
            try unsafe cipher.borrowed { cipher throws(CryptoError) in
                try unsafe cipher.seal(
                    text, byteCount: textByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: trailer, into: scratch, tag: trailer + PageTrailer.tag)
            }
        } catch {
            throw SealedFileError(crypto: error)
        }
    }

    // MARK: Opening

    /// The outcome of opening a sealed text.
    package enum Opening {
        /// Opened; the spare word of its trailer.
        case opened(spare: UInt32)
        /// The tag doesn't fit: altered, torn, or of another place.
        case notAuthentic
        /// Sealed under an epoch that the header, as last read, doesn't name.
        case unknownEpoch(UInt32)
    }

    /// Opens a text where it lies and clears its trailer. Where the tag doesn't fit, all is zeros afterwards.
    @inline(__always)
    package func open(_ sealed: UnsafeMutableRawPointer, number: UInt32) throws(VFSFailure) -> Opening {
        unsafe try open(sealed, number: number, into: sealed)
    }

    /// Opens a text to another place, with zeros behind it in the trailer's place.
    @inline(__always)
    package func open(
        _ sealed: UnsafeRawPointer, number: UInt32, into text: UnsafeMutableRawPointer
    ) throws(VFSFailure) -> Opening {
        let opening = try sealing { () throws(SealedFileError) in
            try gate.withLock { (_) throws(SealedFileError) in
                unsafe try openLocked(sealed, number: number, into: text)
            }
        }
        unsafe memset(text + textByteCount, 0, PageTrailer.byteCount)
        return opening
    }

    @inline(__always)
    private func openLocked(
        _ sealed: UnsafeRawPointer, number: UInt32, into text: UnsafeMutableRawPointer
    ) throws(SealedFileError) -> Opening {
        let trailer = unsafe sealed + textByteCount
        let epoch = unsafe trailer.loadUnaligned(fromByteOffset: PageTrailer.epoch, as: UInt32.self)
        let spare = unsafe trailer.loadUnaligned(fromByteOffset: PageTrailer.spare, as: UInt32.self)
        guard let cipher = try unsafe cipher(for: epoch) else { return .unknownEpoch(epoch) }
        bind(number: number, epoch: epoch, spare: spare)
        do throws(CryptoError) {
            let isAuthentic = try unsafe cipher.borrowed { cipher throws(CryptoError) in
                try unsafe cipher.open(
                    sealed, byteCount: textByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: trailer, tag: trailer + PageTrailer.tag, into: text)
            }
            return isAuthentic ? .opened(spare: spare) : .notAuthentic
        } catch {
            throw SealedFileError(crypto: error)
        }
    }

    @inline(__always)
    private func bind(number: UInt32, epoch: UInt32, spare: UInt32) {
        unsafe associatedData.storeBytes(of: number, toByteOffset: 20, as: UInt32.self)
        unsafe associatedData.storeBytes(of: epoch, toByteOffset: 24, as: UInt32.self)
        unsafe associatedData.storeBytes(of: spare, toByteOffset: 28, as: UInt32.self)
    }

    // MARK: Ciphers

    /// Kept in `current` or `other` as long as `gate` is held.
    @inline(__always)
    private func cipher(for epoch: UInt32) throws(SealedFileError) -> Unmanaged<XAESCipher>? {
        if let recent = unsafe recent, unsafe recent.epoch == epoch { return unsafe recent.cipher }
        return try unsafe cipherOfAnotherEpoch(epoch).map { unsafe .passUnretained($0) }
    }

    /// Two epochs have a cipher at a time: before, during and after a rotation no page has a third.
    private func cipherOfAnotherEpoch(_ epoch: UInt32) throws(SealedFileError) -> XAESCipher? {
        guard !isWiped else { throw .keysLocked(ring.path) }
        if let other, other.epoch == epoch { return other.cipher }
        guard let cipher = try ring.cipher(epoch: epoch, use: use) else { return nil }
        if let current, current.epoch != sealingEpoch || epoch == sealingEpoch { other = current }
        if epoch == sealingEpoch || current == nil {
            current = (epoch, cipher)
        } else {
            other = (epoch, cipher)
        }
        return cipher
    }

    /// Once a rotation has ended, what was derived from the old page key goes too.
    private func forgetOldEpochs() {
        if let other, other.epoch != sealingEpoch {
            other.cipher.wipe()
            self.other = nil
        }
        if let current, current.epoch != sealingEpoch {
            current.cipher.wipe()
            self.current = nil
        }
    }

    /// Wipes every derived key; later calls throw `locked`.
    func wipe() {
        gate.withLock { _ in
            isWiped = true
            current?.cipher.wipe()
            other?.cipher.wipe()
            (current, other) = (nil, nil)
        }
    }
}

/// Places of pages in the database file.
extension PageCodec {
    /// Returns the offset of a page behind the header region.
    package func offset(of number: UInt32) -> Int64 {
        Int64(HeaderLayout.regionByteCount) + Int64(number &- 1) * Int64(pageSize)
    }

    /// The page that holds SQLite's lock bytes logically: never written. https://sqlite.org/fileformat2.html#the_lock_byte_page
    package var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }
}
