import CSQLite
import SealiteCrypto
import Synchronization

/// The data that a sealed text is bound to, beside the database. `Documentation/FORMAT.md` §6 to §8.
struct SealBinding {
    /// Page number, frame index or unit index.
    var number: UInt32
    /// The serial on page 1, else 0.
    var spare: UInt32
}

/// The last 48 bytes of a sealed page or frame.
package enum PageTrailer {
    package static let byteCount = 48
    package static let tag = 24
    package static let epoch = 40
    static let spare = 44
}

/// Seals and opens pages, frames and units for one file object.
///
/// Every call holds a lock of its own, uncontended but for `wipe()`, which another thread may call to end it.
// Sendable: `gate` guards every field that changes.
@safe package final class PageCodec: @unchecked Sendable {
    let ring: KeyRing
    private let use: KeyUse
    private let gate = Mutex<Void>(())
    private var nonces = NonceSource()
    private var current: (epoch: UInt32, cipher: XAESCipher)? {
        didSet { unsafe recent = current.map { unsafe ($0.epoch, .passUnretained($0.cipher)) } }
    }
    private var other: (epoch: UInt32, cipher: XAESCipher)?
    /// As `current`, for the calls of each page.
    private var recent: (epoch: UInt32, cipher: Unmanaged<XAESCipher>)?
    private let associatedData: UnsafeMutableRawBufferPointer
    /// The epoch to seal under; the owner sets it from the header.
    private var sealingEpoch: UInt32
    private var isWiped = false

    static let bindingByteCount = 32
    package static let longBindingByteCount = 64

    init(ring: KeyRing, use: KeyUse) {
        self.ring = ring
        self.use = use
        unsafe associatedData = .allocate(byteCount: Self.longBindingByteCount, alignment: 8)
        unsafe associatedData.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe associatedData.copyBytes(from: ring.databaseID)
        unsafe associatedData.storeBytes(of: use.rawValue, toByteOffset: 16, as: UInt32.self)
        sealingEpoch = ring.currentEpoch
        ring.register(self)
    }

    deinit {
        ring.unregister(self)
        unsafe associatedData.deallocate()
    }

    /// Called where a transaction begins: a new nonce prefix, and the epoch that the header names now.
    package func beginSealing() throws(SealedFileError) {
        try gate.withLock { (_) throws(SealedFileError) in
            try nonces.renewIfOld()
            sealingEpoch = ring.currentEpoch
            if !ring.isRotating { forgetOldEpochs() }
        }
    }

    /// Sets the 32 bytes that every frame of a WAL is bound to beside its place.
    package func bind(walHeader: UnsafeRawBufferPointer) {
        gate.withLock { _ in
            unsafe UnsafeMutableRawBufferPointer(rebasing: associatedData[32..<64]).copyMemory(from: walHeader)
        }
    }

    /// Seals `textByteCount` bytes at `text` to `out`, followed by the 48 bytes of the trailer.
    @inline(__always)
    func seal(
        _ text: UnsafeRawPointer, textByteCount: Int, as binding: SealBinding, bindingByteCount: Int,
        into out: UnsafeMutableRawPointer
    ) throws(SealedFileError) {
        try gate.withLock { (_) throws(SealedFileError) in
            let epoch = sealingEpoch
            guard let cipher = try unsafe cipher(for: epoch) else { throw .unknownEpoch(epoch) }
            let trailer = unsafe out + textByteCount
            unsafe try nonces.next(into: trailer)
            unsafe trailer.storeBytes(of: epoch, toByteOffset: PageTrailer.epoch, as: UInt32.self)
            unsafe trailer.storeBytes(of: binding.spare, toByteOffset: PageTrailer.spare, as: UInt32.self)
            bind(binding, epoch: epoch)
            do throws(CryptoError) {
                try unsafe cipher.borrowed { cipher throws(CryptoError) in
                    try unsafe cipher.seal(
                        text, byteCount: textByteCount,
                        associatedData: UnsafeRawBufferPointer(rebasing: associatedData[0..<bindingByteCount]),
                        nonce: trailer, into: out, tag: trailer + PageTrailer.tag)
                }
            } catch {
                throw SealedFileError(crypto: error)
            }
        }
    }

    /// The outcome of opening a sealed text.
    package enum Opening {
        /// Opened; the spare word of its trailer.
        case opened(spare: UInt32)
        /// The tag doesn't fit: altered, torn, or of another place.
        case notAuthentic
        /// Sealed under an epoch that the header, as last read, doesn't name.
        case unknownEpoch(UInt32)
    }

    /// Opens what `seal` made. `text` may be the place of `sealed`. Where the tag doesn't fit, `text` is wiped.
    @inline(__always)
    package func open(
        _ sealed: UnsafeRawPointer, textByteCount: Int, number: UInt32, bindingByteCount: Int,
        into text: UnsafeMutableRawPointer
    ) throws(SealedFileError) -> Opening {
        try gate.withLock { (_) throws(SealedFileError) in
            let trailer = unsafe sealed + textByteCount
            let epoch = unsafe trailer.loadUnaligned(fromByteOffset: PageTrailer.epoch, as: UInt32.self)
            let spare = unsafe trailer.loadUnaligned(fromByteOffset: PageTrailer.spare, as: UInt32.self)
            guard let cipher = try unsafe cipher(for: epoch) else { return .unknownEpoch(epoch) }
            bind(SealBinding(number: number, spare: spare), epoch: epoch)
            do throws(CryptoError) {
                let isAuthentic = try unsafe cipher.borrowed { cipher throws(CryptoError) in
                    try unsafe cipher.open(
                        sealed, byteCount: textByteCount,
                        associatedData: UnsafeRawBufferPointer(rebasing: associatedData[0..<bindingByteCount]),
                        nonce: trailer, tag: trailer + PageTrailer.tag, into: text)
                }
                return isAuthentic ? .opened(spare: spare) : .notAuthentic
            } catch {
                throw SealedFileError(crypto: error)
            }
        }
    }

    @inline(__always)
    private func bind(_ binding: SealBinding, epoch: UInt32) {
        unsafe associatedData.storeBytes(of: binding.number, toByteOffset: 20, as: UInt32.self)
        unsafe associatedData.storeBytes(of: epoch, toByteOffset: 24, as: UInt32.self)
        unsafe associatedData.storeBytes(of: binding.spare, toByteOffset: 28, as: UInt32.self)
    }

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

/// The codecs made from one key ring, so that `lock()` reaches the keys in them.
///
/// Not weak references, which would make every page slower: a codec takes itself out before it goes.
final class CodecTable: Sendable {
    // Sendable: used under the table's lock, which a codec's deinit waits for.
    private struct Entry: @unchecked Sendable {
        unowned(unsafe) let codec: PageCodec
    }

    private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

    func add(_ codec: PageCodec) {
        let entry = Entry(codec: codec)
        entries.withLock { $0[ObjectIdentifier(codec)] = entry }
    }

    func remove(_ codec: PageCodec) {
        let id = ObjectIdentifier(codec)
        entries.withLock { $0[id] = nil }
    }

    func wipeAll() {
        entries.withLock { entries in
            for entry in entries.values { unsafe entry.codec.wipe() }
        }
    }
}

extension SealedFileError {
    static func unknownEpoch(_ epoch: UInt32) -> SealedFileError {
        SealedFileError(.damagedPage, "epoch \(epoch) isn't one that the header names")
    }
}
