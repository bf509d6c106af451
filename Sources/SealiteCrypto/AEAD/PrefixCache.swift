internal import COpenSSL

/// The AES-256-GCM contexts of an XAES-256-GCM cipher, which derives a key from the first 12 bytes, the prefix, of each
/// nonce. A context is kept for each of the most recently used prefixes; the key for a new prefix is derived here.
///
/// The state is stored behind pointers that never change, so that a lookup needs no exclusivity check and no retain.
@safe
final class PrefixCache {
    /// A nonce prefix of 12 bytes, as two integers of 8 and 4 bytes, and the context with the key that is derived from
    /// it.
    @unsafe
    private struct Entry {
        var head: UInt64
        var tail: UInt32
        var lastUse: UInt64
        var context: GCMContext
    }

    @unsafe
    private struct State {
        /// AES-256 under the cipher's own key, which derives the key for each prefix; nil after `wipe()`.
        var derivation: ECBContext?
        /// The number of entries in use, which are the first ones of `entries`.
        var count = 0
        /// The index in `entries` of the entry that the last lookup returned.
        var recent = 0
        /// The number of lookups so far whose prefix differed from that of the lookup before; an entry records it as
        /// its `lastUse`.
        var clock: UInt64 = 0
    }

    let tagParameters: GCMContext.TagParameters
    private let capacity: Int
    private let state: UnsafeMutablePointer<State>
    private let entries: UnsafeMutablePointer<Entry>
    /// 16 bytes of CMAC's subkey K1, then 32 bytes for the two blocks that become the derived key.
    private let scratch: SecretBytes
    private let subkey: UnsafeMutablePointer<UInt64>
    private let blocks: UnsafeMutablePointer<UInt64>

    init(key: borrowing SecretBytes, capacity: Int) throws(CryptoError) {
        self.capacity = capacity
        unsafe tagParameters = GCMContext.makeTagParameters()
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: State())
        unsafe entries = .allocate(capacity: capacity)
        scratch = unsafe SecretBytes(byteCount: 48) { _ in }
        unsafe subkey = scratch.base.bindMemory(to: UInt64.self, capacity: 6)
        unsafe blocks = subkey + 2
        unsafe state.pointee.derivation = key.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.flatMap { unsafe ECBContext(key: $0.assumingMemoryBound(to: UInt8.self)) }
        }
        guard let derivation = unsafe state.pointee.derivation, unsafe makeSubkey(derivation) else {
            throw CryptoError.openSSL("setting up AES-256 failed")
        }
    }

    deinit {
        wipe()
        unsafe tagParameters.deallocate()
        unsafe state.deallocate()
        unsafe entries.deallocate()
    }

    /// Frees the contexts, which wipes their keys; afterwards `context(for:)` throws `invalidKey`.
    func wipe() {
        for index in 0..<(unsafe state.pointee.count) { unsafe entries[index].context.free() }
        unsafe state.pointee.derivation?.free()
        unsafe state.pointee = State()
        unsafe OPENSSL_cleanse(scratch.base, scratch.byteCount)
    }

    /// Returns the context with the key that is derived from the nonce's first 12 bytes; if no entry has it, derives it
    /// first.
    @inline(__always)
    func context(for nonce: UnsafeRawPointer) throws(CryptoError) -> GCMContext {
        let head = unsafe nonce.loadUnaligned(as: UInt64.self)
        let tail = unsafe nonce.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        let recent = unsafe state.pointee.recent
        if unsafe state.pointee.count > 0 && entries[recent].head == head && entries[recent].tail == tail {
            return unsafe entries[recent].context
        }
        return try unsafe search(head, tail)
    }

    @inline(never)
    private func search(_ head: UInt64, _ tail: UInt32) throws(CryptoError) -> GCMContext {
        unsafe state.pointee.clock += 1
        let clock = unsafe state.pointee.clock
        let count = unsafe state.pointee.count
        var index = 0
        var oldest = 0
        var oldestUse = UInt64.max
        while index < count {
            if unsafe entries[index].head == head && entries[index].tail == tail {
                unsafe entries[index].lastUse = clock
                unsafe state.pointee.recent = index
                return unsafe entries[index].context
            }
            let lastUse = unsafe entries[index].lastUse
            oldest = lastUse < oldestUse ? index : oldest
            oldestUse = min(lastUse, oldestUse)
            index += 1
        }
        if count < capacity {
            guard let context = unsafe GCMContext() else {
                throw CryptoError.openSSL("setting up AES-256-GCM failed")
            }
            unsafe (entries + count).initialize(to: Entry(head: head, tail: tail, lastUse: clock, context: context))
            unsafe state.pointee.count = count + 1
            oldest = count
        }
        try rekey(oldest, head, tail, clock)
        return unsafe entries[oldest].context
    }

    /// Derives the context of a new prefix into entry `index`, with `clock` as its last use. If that fails, the entry
    /// is removed, because its context may have no key or another prefix's.
    private func rekey(_ index: Int, _ head: UInt64, _ tail: UInt32, _ clock: UInt64) throws(CryptoError) {
        guard unsafe deriveKey(head, tail, into: entries[index].context) else {
            let last = unsafe state.pointee.count - 1
            unsafe entries[index].context.free()
            unsafe entries[index] = entries[last]
            unsafe state.pointee.count = last
            unsafe state.pointee.recent = 0
            if unsafe state.pointee.derivation == nil {
                throw CryptoError(
                    .invalidKey, "this XAES-256-GCM cipher can't be used any more: its key was wiped from memory")
            }
            throw CryptoError.openSSL("deriving an XAES-256-GCM key failed")
        }
        unsafe entries[index].head = head
        unsafe entries[index].tail = tail
        unsafe entries[index].lastUse = clock
        unsafe state.pointee.recent = index
    }

    // C2SP XAES-256-GCM: the derived key is AES(M1 ⊕ K1) ‖ AES(M2 ⊕ K1), Mi = 00 ‖ i ‖ "X" ‖ 00 ‖ prefix.
    private func deriveKey(_ head: UInt64, _ tail: UInt32, into context: GCMContext) -> Bool {
        guard let derivation = unsafe state.pointee.derivation else { return false }
        // Two words, least significant byte first: 4 bytes of counter and label, then 12 bytes of prefix.
        let prefix = UInt64(littleEndian: head)
        let low = (prefix << 32) | 0x0058_0000
        let high = (prefix >> 32) | (UInt64(UInt32(littleEndian: tail)) << 32)
        unsafe blocks[0] = (low | 0x0100).littleEndian ^ subkey[0]
        unsafe blocks[1] = high.littleEndian ^ subkey[1]
        unsafe blocks[2] = (low | 0x0200).littleEndian ^ subkey[0]
        unsafe blocks[3] = high.littleEndian ^ subkey[1]
        let bytes = unsafe UnsafeMutableRawPointer(blocks).assumingMemoryBound(to: UInt8.self)
        let done = unsafe derivation.encrypt(bytes, byteCount: 32) && context.setKey(bytes)
        unsafe OPENSSL_cleanse(blocks, 32)
        return done
    }

    // RFC 4493 §2.3: K1 is the encryption of the zero block, shifted left by one bit in GF(2^128).
    private func makeSubkey(_ derivation: ECBContext) -> Bool {
        let bytes = unsafe UnsafeMutableRawPointer(subkey).assumingMemoryBound(to: UInt8.self)
        guard unsafe derivation.encrypt(bytes, byteCount: 16) else { return false }
        let high = unsafe UInt64(bigEndian: subkey[0])
        let low = unsafe UInt64(bigEndian: subkey[1])
        // Branch-free, because the bit is part of a secret.
        let carry = (high >> 63) &* 0x87
        unsafe subkey[0] = ((high << 1) | (low >> 63)).bigEndian
        unsafe subkey[1] = ((low << 1) ^ carry).bigEndian
        return true
    }
}
