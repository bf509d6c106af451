import Glibc

/// A cache of the stems of words, of a fixed size: each slot contains the last word with a hash. If memory is short the
/// cache stays empty.
@safe struct WordCache {
    /// The maximum size of a cached word, and of a cached stem, in bytes.
    static let maximumByteCount = 29
    private static let slotSize = 64
    /// One million bytes in total: a language's texts have tens of thousands of words, and stemming a word takes as
    /// long as all other work for it.
    private static let slotCount = 16_384

    /// The slots: the length of the word, the length of the stem, 1 for a stop word; then word and stem, each in 29
    /// bytes. Nil if memory is short.
    private let slots: UnsafeMutablePointer<UInt8>?

    init() {
        // Zeroed memory is not committed until it is written.
        unsafe slots = calloc(Self.slotCount, Self.slotSize)?.assumingMemoryBound(to: UInt8.self)
    }

    func free() { unsafe Glibc.free(slots) }

    /// One slot of the cache: a word of a text with its stem, or a word that is a stop word.
    @safe struct Slot {
        private let bytes: UnsafeMutablePointer<UInt8>

        fileprivate init(_ bytes: UnsafeMutablePointer<UInt8>) { unsafe self.bytes = bytes }

        /// Returns whether the slot contains the word that has the given bytes.
        @inline(__always)
        func holds(_ word: UnsafePointer<UInt8>, _ count: Int) -> Bool {
            guard unsafe bytes[0] == UInt8(truncatingIfNeeded: count) else { return false }
            return unsafe memcmp(bytes + 3, word, count) == 0
        }

        /// A Boolean value that says whether the slot's word is a stop word.
        var isStopWord: Bool { unsafe bytes[2] != 0 }
        /// The bytes of the stem of the slot's word.
        var stem: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes + 3 + WordCache.maximumByteCount) }
        var stemCount: Int { Int(unsafe bytes[1]) }

        /// Stores a word with its stem in the slot, in place of the previous one.
        func keep(_ word: UnsafeBufferPointer<UInt8>, _ stem: UnsafeBufferPointer<UInt8>, isStopWord: Bool) {
            unsafe bytes[0] = UInt8(truncatingIfNeeded: word.count)
            unsafe bytes[1] = UInt8(truncatingIfNeeded: stem.count)
            unsafe bytes[2] = isStopWord ? 1 : 0
            for index in word.indices { unsafe bytes[3 + index] = word[index] }
            for index in stem.indices { unsafe bytes[3 + WordCache.maximumByteCount + index] = stem[index] }
        }
    }

    /// Returns the slot in which a word is cached, or would be; nil if memory is short.
    @inline(__always)
    func slot(_ word: UnsafePointer<UInt8>, _ count: Int) -> Slot? {
        guard let slots = unsafe slots else { return nil }
        var hash: UInt32 = 2_166_136_261
        for index in 0..<count { hash = (hash ^ UInt32(unsafe word[index])) &* 16_777_619 }
        hash ^= hash >> 15
        return unsafe Slot(slots + Int(hash) % Self.slotCount * Self.slotSize)
    }
}
