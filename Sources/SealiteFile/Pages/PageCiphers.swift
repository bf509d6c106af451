import SealiteCrypto
import Synchronization

/// The ciphers of one codec, at most two: those of the epoch that it seals under and of one before it.
///
/// They are apart from the codec, so that ``KeyRing/wipe()`` can hold them while another thread frees the codec.
// Sendable: `gate` guards every field that changes.
@safe final class PageCiphers: DerivedKeys, @unchecked Sendable {
    /// Held by the codec for each page, by `wipe()`, and by the caller of every other method.
    let gate = Mutex<Void>(())
    /// The epoch to seal under, as of the beginning of the transaction.
    var sealingEpoch: UInt32
    private let use: KeyUse
    private var current: (epoch: UInt32, cipher: XAESCipher)? {
        didSet { unsafe recent = current.map { unsafe ($0.epoch, .passUnretained($0.cipher)) } }
    }
    private var other: (epoch: UInt32, cipher: XAESCipher)?
    /// The content of `current` as an unretained reference: retaining the cipher for each page would cost time.
    private var recent: (epoch: UInt32, cipher: Unmanaged<XAESCipher>)?
    private var isWiped = false

    init(_ use: KeyUse, sealingEpoch: UInt32) { (self.use, self.sealingEpoch) = (use, sealingEpoch) }

    /// Returns the cipher of an epoch as an unretained reference, valid while `gate` is held: `current` or `other`
    /// retains it. Returns nil for an epoch that the header doesn't name.
    @inline(__always)
    func cipher(for epoch: UInt32, of ring: KeyRing) throws(SealedFileError) -> Unmanaged<XAESCipher>? {
        if let recent = unsafe recent, unsafe recent.epoch == epoch {
            assert(!isWiped, "wiped ciphers are gone")
            return unsafe recent.cipher
        }
        return try unsafe cipherOfAnotherEpoch(epoch, ring).map { unsafe .passUnretained($0) }
    }

    /// Returns the cipher of an epoch other than the one in `recent`, deriving it if necessary. At most two ciphers are
    /// kept, because during a rotation no page is sealed under a third epoch.
    private func cipherOfAnotherEpoch(_ epoch: UInt32, _ ring: KeyRing) throws(SealedFileError) -> XAESCipher? {
        assert(unsafe recent?.epoch != epoch, "the caller looked there first")
        guard !isWiped else { throw .keysLocked(ring.path) }
        if let other, other.epoch == epoch { return other.cipher }
        guard let cipher = try ring.cipher(epoch: epoch, use: use) else { return nil }
        if let current, current.epoch != sealingEpoch || epoch == sealingEpoch { other = current }
        if epoch == sealingEpoch || current == nil {
            current = (epoch, cipher)
        } else {
            other = (epoch, cipher)
        }
        assert(current != nil && current?.epoch != other?.epoch, "the two ciphers are of two epochs")
        return cipher
    }

    /// Wipes the ciphers of epochs other than the sealing epoch, once a rotation has ended.
    func forgetOldEpochs() {
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
