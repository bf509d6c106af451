import CSQLite
import CStemmer
import Glibc

/// The tokenizer of full-text search (Documentation/DocumentFormat.md §3.7), for one index on one connection. It
/// doesn't allocate memory for tokens.
@safe final class WordTokenizer {
    /// The maximum size of a word in bytes.
    static let maximumByteCount = 255

    /// A word that the tokenizer finds in a text.
    @safe struct Word {
        /// The word's token: its stem, or the folded word if it isn't stemmed.
        let token: UnsafeBufferPointer<UInt8>
        /// The folded word as a second token, in addition to its stem; empty if there is none.
        let word: UnsafeBufferPointer<UInt8>
        /// The range of the word in the text, in bytes.
        let range: Range<Int>
    }

    /// The purposes for which a text is split into tokens.
    struct Purpose: OptionSet {
        let rawValue: UInt8
        /// Tokens of a document for an index, with unstemmed words in addition to their stems.
        static let document = Purpose(rawValue: 1)
        /// Tokens of a prefix search: words aren't stemmed, and stop words aren't left out.
        static let prefix = Purpose(rawValue: 2)
    }

    private let ignoresAccents: Bool
    private let keepsWords: Bool
    private let stopWords: Set<[UInt8]>
    private let stemmer: OpaquePointer?
    private let cache: WordCache?
    /// The bytes of the folded form of the current word.
    private let buffer: UnsafeMutablePointer<UInt8>
    /// A Boolean value that says whether there was no memory for the stemmer, so that tokens would differ from those of
    /// the index.
    let lacksStemmer: Bool
    /// A Boolean value that says whether a scalar of the current word was dropped because the word had reached its
    /// maximum size.
    private var isFull = false
    private let tables = WordTables.shared

    init(_ settings: WordSettings) {
        ignoresAccents = settings.ignoresAccents
        keepsWords = settings.keepsWords
        unsafe buffer = .allocate(capacity: Self.maximumByteCount + 8)
        unsafe buffer.initialize(repeating: 0, count: Self.maximumByteCount + 8)
        unsafe stemmer = settings.language.flatMap { unsafe sb_stemmer_new($0, nil) }
        lacksStemmer = unsafe settings.language != nil && stemmer == nil
        let words = settings.stopWords ?? Self.list(settings.stopWordList)
        cache = unsafe stemmer == nil && words.isEmpty ? nil : WordCache()
        stopWords = words.isEmpty ? [] : Self.folded(words, settings)
    }

    deinit {
        unsafe sb_stemmer_delete(stemmer)
        unsafe buffer.deallocate()
        cache?.free()
    }

    private static func list(_ name: String?) -> [String] {
        guard let name, let words = StopWordData.lists[name] else { return [] }
        return "\(words)".split(separator: " ").map(String.init)
    }

    /// Returns stop words in the folded form in which the tokenizer compares words.
    private static func folded(_ words: [String], _ settings: WordSettings) -> Set<[UInt8]> {
        var plain = WordSettings()
        plain.ignoresAccents = settings.ignoresAccents
        let tokenizer = WordTokenizer(plain)
        var folded: Set<[UInt8]> = []
        for word in words {
            var word = word
            word.withUTF8 { text in
                unsafe tokenizer.forEachWord(in: text, []) { found in
                    folded.insert(unsafe Array(found.token))
                    return true
                }
            }
        }
        return folded
    }

    // MARK: - Words

    /// Calls `body` with each word of a text, in order, until it returns false. Stop words are left out except for a
    /// prefix search.
    func forEachWord(in text: UnsafeBufferPointer<UInt8>, _ purpose: Purpose, _ body: (Word) -> Bool) {
        var (offset, start, end, count) = (0, 0, 0, 0)
        // A scalar that doesn't fit ends the word, so that no later scalar of the same word is appended.
        isFull = false
        // The last letter and the offset of its folded form, for a mark that composes with it.
        var (letter, letterStart) = (UInt32(0), -1)
        while offset < text.count {
            let byte = unsafe text[offset]
            if byte < 0x80 {
                let folded = Self.asciiFold(byte)
                if folded != 0 {
                    if end == 0 { start = offset }
                    if count < Self.maximumByteCount, !isFull {
                        (letter, letterStart) = (UInt32(byte), count)
                        unsafe buffer[count] = folded
                        count += 1
                    } else {
                        letterStart = -1
                    }
                    end = offset + 1
                } else if end != 0 {
                    guard give(count, start..<end, purpose, body) else { return }
                    (end, count, letterStart) = (0, 0, -1)
                }
                offset += 1
                continue
            }
            let (scalar, length) = unsafe Self.scalar(text, offset)
            let entry = tables.entry(scalar)
            let next = offset + length
            switch entry.class {
            case WordTables.Class.word:
                if end == 0 { start = offset }
                (letter, letterStart) = (scalar, count)
                if !append(ignoresAccents ? entry.plain : entry.folded, &count) { letterStart = -1 }
                end = next
            case WordTables.Class.mark where end != 0, WordTables.Class.accent where end != 0:
                end = next
                if entry.class == WordTables.Class.accent, ignoresAccents { break }
                if letterStart >= 0, let composed = tables.composition(letter, scalar) {
                    letter = composed
                    count = letterStart
                    _ = append(tables.entry(composed).folded, &count)
                } else {
                    letterStart = -1
                    _ = append(scalar, &count)
                }
            default:
                if end != 0 {
                    guard give(count, start..<end, purpose, body) else { return }
                    (end, count, letterStart) = (0, 0, -1)
                }
                if entry.class == WordTables.Class.sign {
                    _ = append(entry.folded, &count)
                    guard give(count, offset..<next, purpose, body) else { return }
                    count = 0
                }
            }
            offset = next
        }
        if end != 0 { _ = give(count, start..<end, purpose, body) }
    }

    /// Appends a scalar to the current word if it fits, and returns whether it does.
    private func append(_ scalar: UInt32, _ count: inout Int) -> Bool {
        let length = scalar < 0x80 ? 1 : scalar < 0x800 ? 2 : scalar < 0x10000 ? 3 : 4
        guard !isFull, count + length <= Self.maximumByteCount else {
            isFull = true
            return false
        }
        if length == 1 {
            unsafe buffer[count] = UInt8(truncatingIfNeeded: scalar)
        } else {
            let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
            for place in 0..<length {
                let bits = scalar >> UInt32(6 * (length - 1 - place))
                unsafe buffer[count + place] = UInt8(truncatingIfNeeded: place == 0 ? lead | bits : 0x80 | bits & 0x3F)
            }
        }
        count += length
        return true
    }

    /// Calls `body` with the current word, unless it is a stop word outside of a prefix search, and returns false if
    /// `body` does.
    @inline(__always)
    private func give(_ count: Int, _ range: Range<Int>, _ purpose: Purpose, _ body: (Word) -> Bool) -> Bool {
        isFull = false
        guard count > 0 else { return true }
        let whole = unsafe UnsafeBufferPointer(start: UnsafePointer(buffer), count: count)
        let none = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        guard let cache, !purpose.contains(.prefix) else {
            return body(unsafe Word(token: whole, word: none, range: range))
        }
        return unsafe give(stem(whole, cache), whole, range, purpose, body)
    }

    /// The stem of a word, or the word itself without one, and whether the word is a stop word.
    @safe private struct Stem {
        let bytes: UnsafeBufferPointer<UInt8>
        let isStopWord: Bool

        init(_ bytes: UnsafeBufferPointer<UInt8>, isStopWord: Bool) {
            unsafe self.bytes = bytes
            self.isStopWord = isStopWord
        }

        func isSame(as word: UnsafeBufferPointer<UInt8>) -> Bool {
            guard unsafe bytes.count == word.count else { return false }
            // Stems differ at their ends, so that the comparison is faster from there.
            for index in word.indices.reversed() where unsafe bytes[index] != word[index] { return false }
            return true
        }
    }

    @inline(__always)
    private func give(
        _ stem: Stem, _ whole: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, _ purpose: Purpose,
        _ body: (Word) -> Bool
    ) -> Bool {
        if stem.isStopWord { return true }
        let hasWord = unsafe keepsWords && purpose.contains(.document) && !stem.isSame(as: whole)
        let word = unsafe hasWord ? whole : UnsafeBufferPointer(start: nil, count: 0)
        return body(unsafe Word(token: stem.bytes, word: word, range: range))
    }

    /// Returns the stem of a word, which is valid until the next call. The stems of short words are cached.
    @inline(__always)
    private func stem(_ word: UnsafeBufferPointer<UInt8>, _ cache: WordCache) -> Stem {
        guard word.count <= WordCache.maximumByteCount, let slot = unsafe cache.slot(buffer, word.count) else {
            return unsafe stem(word)
        }
        if unsafe !slot.holds(buffer, word.count) {
            let made = unsafe stem(word)
            // A stem may be longer than its word.
            guard unsafe made.bytes.count <= WordCache.maximumByteCount else { return made }
            unsafe slot.keep(word, made.bytes, isStopWord: made.isStopWord)
        }
        return unsafe Stem(UnsafeBufferPointer(start: slot.stem, count: slot.stemCount), isStopWord: slot.isStopWord)
    }

    private func stem(_ word: UnsafeBufferPointer<UInt8>) -> Stem {
        if !stopWords.isEmpty, stopWords.contains(unsafe Array(word)) { return unsafe Stem(word, isStopWord: true) }
        guard let stemmer = unsafe stemmer,
            let stem = unsafe sb_stemmer_stem(stemmer, word.baseAddress, CInt(word.count)),
            case let count = Int(unsafe sb_stemmer_length(stemmer)), count > 0
        else { return unsafe Stem(word, isStopWord: false) }
        return unsafe Stem(UnsafeBufferPointer(start: stem, count: count), isStopWord: false)
    }

    // MARK: - Characters

    /// Returns the folded form of an ASCII letter or digit; 0 for other bytes.
    @inline(__always)
    private static func asciiFold(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 0x61...0x7A, 0x30...0x39: byte
        case 0x41...0x5A: byte | 0x20
        default: 0
        }
    }

    /// Returns the scalar at the byte with an offset, which isn't ASCII, and its length in bytes; `UInt32.max` and 1 if
    /// it is invalid.
    @inline(__always)
    static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ offset: Int) -> (UInt32, Int) {
        let none: (UInt32, Int) = (.max, 1)
        let lead = unsafe text[offset]
        let (length, least): (Int, UInt32) =
            switch lead {
            case 0xC2...0xDF: (2, 0x80)
            case 0xE0...0xEF: (3, 0x800)
            case 0xF0...0xF4: (4, 0x10000)
            default: (0, 0)
            }
        guard length > 0, offset + length <= text.count else { return none }
        var scalar = UInt32(lead) & (0x7F >> UInt32(length))
        for place in 1..<length {
            let byte = unsafe text[offset + place]
            guard byte & 0xC0 == 0x80 else { return none }
            scalar = scalar << 6 | UInt32(byte & 0x3F)
        }
        guard scalar >= least, scalar < 0x110000, !(0xD800..<0xE000).contains(scalar) else { return none }
        return (scalar, length)
    }
}

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
