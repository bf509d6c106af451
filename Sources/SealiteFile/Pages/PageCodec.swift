internal import Glibc
import SealiteCrypto
import Synchronization

/// Seals (encrypts and authenticates) and opens the pages, WAL frames or journal units of one file object.
///
/// Each call holds a private lock, contended only by `wipe()`, which another thread may call at any time.
// Sendable: the ciphers' gate guards every field that changes; `scratch` is for the thread that uses the file object.
@safe package final class PageCodec: @unchecked Sendable {
    package let ring: KeyRing
    private let use: KeyUse
    package let pageSize: Int
    /// The number of encrypted bytes of a page, frame or unit; the 48-byte trailer follows them.
    package let textByteCount: Int
    /// The output buffer of `seal`: one page, frame or unit with its trailer. Valid until the file object's next call.
    package let scratch: UnsafeMutableRawPointer
    private let ciphers: PageCiphers
    private var nonces = NonceSource()
    /// The associated data of one page, frame or unit: database id, key use, number, epoch and page-one serial; for a
    /// frame, the 32-byte WAL header follows. `Documentation/FORMAT.md` §6 to §8.
    private let associatedData: UnsafeMutableRawBufferPointer

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
        assert(SealedPageSize.isValid(pageSize), "offsets are masked with the page size")
        assert(textByteCount > 0)
        unsafe scratch = .allocate(byteCount: byteCount, alignment: 64)
        unsafe scratch.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        let bindingByteCount = use == .wal ? Self.frameBindingByteCount : Self.bindingByteCount
        unsafe associatedData = .allocate(byteCount: bindingByteCount, alignment: 8)
        unsafe associatedData.initializeMemory(as: UInt8.self, repeating: 0)
        assert(ring.databaseID.count == 16, "another length would overwrite the key use")
        unsafe associatedData.copyBytes(from: ring.databaseID)
        unsafe associatedData.storeBytes(of: use.rawValue, toByteOffset: 16, as: UInt32.self)
        ciphers = PageCiphers(use, sealingEpoch: ring.currentEpoch)
        ring.register(ciphers)
    }

    deinit {
        ring.unregister(ciphers)
        unsafe associatedData.deallocate()
        unsafe memset(scratch, 0, textByteCount + PageTrailer.byteCount)
        unsafe scratch.deallocate()
    }

    /// Prepares for a transaction: draws a new nonce prefix if the last one is more than a second old, and adopts the
    /// header's current epoch.
    package func beginSealing() throws(SealedFileError) {
        try ciphers.gate.withLock { (_) throws(SealedFileError) in
            try nonces.renewIfOld()
            ciphers.sealingEpoch = ring.currentEpoch
            if !ring.isRotating { ciphers.forgetOldEpochs() }
        }
    }

    /// Sets the 32-byte WAL header that every frame is bound to in addition to its number. Only for a codec of frames.
    package func bind(walHeader: UnsafeRawBufferPointer) {
        precondition(use == .wal && walHeader.count == WALHeader.byteCount, "only frames are bound to a log's header")
        ciphers.gate.withLock { _ in
            unsafe UnsafeMutableRawBufferPointer(rebasing: associatedData[Self.bindingByteCount...]).copyMemory(
                from: walHeader)
        }
    }

    // MARK: Sealing

    /// Seals a page, frame or unit into `scratch`, followed by its trailer. `pageOneSerial` is the page-one serial (a
    /// counter that a transaction raises when it writes page 1) for page 1, otherwise 0.
    @inline(__always)
    package func seal(_ text: UnsafeRawPointer, number: UInt32, pageOneSerial: UInt32) throws(VFSFailure) {
        try sealing { () throws(SealedFileError) in
            try ciphers.gate.withLock { (_) throws(SealedFileError) in
                unsafe try sealLocked(text, number: number, pageOneSerial: pageOneSerial)
            }
        }
    }

    @inline(__always)
    private func sealLocked(_ text: UnsafeRawPointer, number: UInt32, pageOneSerial: UInt32) throws(SealedFileError) {
        let epoch = ciphers.sealingEpoch
        guard let cipher = try unsafe ciphers.cipher(for: epoch, of: ring) else { throw .noKeyToSeal(epoch) }
        assert(epoch > 0, "epoch 0 marks a page that was never written")
        assert(use != .main || number > 0 && number != lockBytePage, "no such page is written")
        assert(use == .wal || number == 1 || pageOneSerial == 0, "only page 1 has a serial")
        let trailer = unsafe scratch + textByteCount
        unsafe try nonces.next(into: trailer)
        unsafe trailer.storeBytes(of: epoch, toByteOffset: PageTrailer.epoch, as: UInt32.self)
        unsafe trailer.storeBytes(of: pageOneSerial, toByteOffset: PageTrailer.pageOneSerial, as: UInt32.self)
        bind(number: number, epoch: epoch, pageOneSerial: pageOneSerial)
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

    /// The result of opening a page, frame or unit.
    package enum Opening {
        /// The plaintext is authentic; `pageOneSerial` is the page-one serial from its trailer.
        case opened(pageOneSerial: UInt32)
        /// The tag is invalid: the sealed bytes were altered, are torn, or belong to another file or position.
        case notAuthentic
        /// The trailer names an epoch that the header, as last read, doesn't name.
        case unknownEpoch(UInt32)
    }

    /// Decrypts and authenticates a page, frame or unit in place, and zeroes its trailer. If the tag is invalid,
    /// everything is zeroed; if the epoch is unknown, the encrypted bytes stay.
    @inline(__always)
    package func open(_ sealed: UnsafeMutableRawPointer, number: UInt32) throws(VFSFailure) -> Opening {
        unsafe try open(sealed, number: number, into: sealed)
    }

    /// Decrypts and authenticates a page, frame or unit into another buffer, with zeros in place of the trailer.
    @inline(__always)
    package func open(
        _ sealed: UnsafeRawPointer, number: UInt32, into text: UnsafeMutableRawPointer
    ) throws(VFSFailure) -> Opening {
        let opening = try sealing { () throws(SealedFileError) in
            try ciphers.gate.withLock { (_) throws(SealedFileError) in
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
        let pageOneSerial = unsafe trailer.loadUnaligned(fromByteOffset: PageTrailer.pageOneSerial, as: UInt32.self)
        guard let cipher = try unsafe ciphers.cipher(for: epoch, of: ring) else { return .unknownEpoch(epoch) }
        bind(number: number, epoch: epoch, pageOneSerial: pageOneSerial)
        do throws(CryptoError) {
            let isAuthentic = try unsafe cipher.borrowed { cipher throws(CryptoError) in
                try unsafe cipher.open(
                    sealed, byteCount: textByteCount, associatedData: UnsafeRawBufferPointer(associatedData),
                    nonce: trailer, tag: trailer + PageTrailer.tag, into: text)
            }
            return isAuthentic ? .opened(pageOneSerial: pageOneSerial) : .notAuthentic
        } catch {
            throw SealedFileError(crypto: error)
        }
    }

    @inline(__always)
    private func bind(number: UInt32, epoch: UInt32, pageOneSerial: UInt32) {
        unsafe associatedData.storeBytes(of: number, toByteOffset: 20, as: UInt32.self)
        unsafe associatedData.storeBytes(of: epoch, toByteOffset: 24, as: UInt32.self)
        unsafe associatedData.storeBytes(of: pageOneSerial, toByteOffset: 28, as: UInt32.self)
    }
}

/// The positions of pages in the database file.
extension PageCodec {
    /// Returns the offset in bytes of a page in the database file. Page 1 follows the header region.
    package func offset(of number: UInt32) -> Int64 {
        Int64(HeaderLayout.regionByteCount) + Int64(number &- 1) * Int64(pageSize)
    }

    /// The number of the page that contains SQLite's lock bytes in the logical file and is never written.
    /// https://sqlite.org/fileformat2.html#the_lock_byte_page
    package var lockBytePage: UInt32 { UInt32(0x4000_0000 / pageSize) + 1 }
}

/// The layout of the trailer, the last 48 bytes of a sealed page, frame or unit: nonce, tag, epoch and page-one serial.
package enum PageTrailer {
    package static let byteCount = 48
    package static let tag = 24
    package static let epoch = 40
    static let pageOneSerial = 44
}

extension SealedFileError {
    package static func damagedPage(_ page: UInt32, pageSize: Int, cause: String) -> SealedFileError {
        assert(page > 0, "pages are counted from 1")
        let offset = Int64(HeaderLayout.regionByteCount) + Int64(page - 1) * Int64(pageSize)
        return SealedFileError(
            .damagedPage, "page \(page) \(cause) (\(pageSize) bytes at offset \(offset))",
            hint: FileRemedy.listDamagedPages.hint, page: page)
    }

    static func missingPageOne(pageSize: Int) -> SealedFileError {
        damagedPage(1, pageSize: pageSize, cause: "is missing: the file ends after its header")
    }

    /// Returns the error for a page that can't be encrypted, because the header lost its newest page key meanwhile.
    static func noKeyToSeal(_ epoch: UInt32) -> SealedFileError {
        SealedFileError(
            .internalFailure, "a page can't be encrypted: the header no longer has the page key of epoch \(epoch)",
            hint: "open the database again")
    }
}
