import Glibc

/// A cache from folded words to their stems, of a fixed size: each slot holds the last word that hashed to it. Without memory it holds nothing.
@safe struct WordCache {
    /// The longest word that is kept, and the longest stem.
    static let maximumByteCount = 29
    private static let slotSize = 64
    /// A million bytes: a language's texts have tens of thousands of words, and stemming one takes as long as all else that is done for it.
    private static let slotCount = 16_384

    /// Slots: the count of the word, the count of the stem, 1 for a stop word; then word and stem, each in 30 bytes.
    /// Nil if there was no memory.
    private let slots: UnsafeMutablePointer<UInt8>?

    init() {
        // Zeroed memory costs nothing until words come.
        unsafe slots = calloc(Self.slotCount, Self.slotSize)?.assumingMemoryBound(to: UInt8.self)
    }

    func free() { unsafe Glibc.free(slots) }

    /// A place for a word.
    @safe struct Slot {
        private let bytes: UnsafeMutablePointer<UInt8>

        fileprivate init(_ bytes: UnsafeMutablePointer<UInt8>) { unsafe self.bytes = bytes }

        /// True if the place is that word's already.
        @inline(__always)
        func holds(_ word: UnsafePointer<UInt8>, _ count: Int) -> Bool {
            guard unsafe bytes[0] == UInt8(truncatingIfNeeded: count) else { return false }
            return unsafe memcmp(bytes + 3, word, count) == 0
        }

        /// True if the word is a stop word.
        var isStopWord: Bool { unsafe bytes[2] != 0 }
        /// The stem.
        var stem: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes + 3 + WordCache.maximumByteCount) }
        var stemCount: Int { Int(unsafe bytes[1]) }

        /// Fills the place.
        func keep(_ word: UnsafeBufferPointer<UInt8>, _ stem: UnsafeBufferPointer<UInt8>, isStopWord: Bool) {
            unsafe bytes[0] = UInt8(truncatingIfNeeded: word.count)
            unsafe bytes[1] = UInt8(truncatingIfNeeded: stem.count)
            unsafe bytes[2] = isStopWord ? 1 : 0
            for index in word.indices { unsafe bytes[3 + index] = word[index] }
            for index in stem.indices { unsafe bytes[3 + WordCache.maximumByteCount + index] = stem[index] }
        }
    }

    /// Returns the place of a word; nil if there are no places.
    @inline(__always)
    func slot(_ word: UnsafePointer<UInt8>, _ count: Int) -> Slot? {
        guard let slots = unsafe slots else { return nil }
        var hash: UInt32 = 2_166_136_261
        for index in 0..<count { hash = (hash ^ UInt32(unsafe word[index])) &* 16_777_619 }
        hash ^= hash >> 15
        return unsafe Slot(slots + Int(hash) % Self.slotCount * Self.slotSize)
    }
}
