/// The tables of the tokenizer of full-text search (scripts/make-words.py): the scalars that are part of words, and
/// their folded forms.
struct WordTables: Sendable {
    static let shared = WordTables()

    /// The classes of Unicode scalars that the tokenizer distinguishes.
    enum Class {
        /// A separator of words.
        static let separator: UInt32 = 0
        /// A letter or a number.
        static let word: UInt32 = 1
        /// A mark, which is part of the word before it.
        static let mark: UInt32 = 2
        /// An ideograph or a kana, which is a word of its own.
        static let sign: UInt32 = 3
        /// A mark that is an accent or a vowel point.
        static let accent: UInt32 = 4
    }

    /// The table entry of a scalar: its class and its folded forms.
    struct Entry {
        fileprivate let word: UInt64

        fileprivate init(word: UInt64) { self.word = word }

        fileprivate init(_ class: UInt32, folded: UInt32, plain: UInt32) {
            word = UInt64(`class`) << 42 | UInt64(folded) << 21 | UInt64(plain)
        }

        /// The class of the scalar, one of `Class`.
        var `class`: UInt32 { UInt32(truncatingIfNeeded: word >> 42) }
        /// The folded form of the scalar, in which upper and lower case are equal.
        var folded: UInt32 { UInt32(truncatingIfNeeded: word >> 21) & 0x1F_FFFF }
        /// The folded form of the scalar without accents.
        var plain: UInt32 { UInt32(truncatingIfNeeded: word) & 0x1F_FFFF }
    }

    private static let blockSize = 128
    /// For each 128 scalars in sequence, the number of the block in `blocks` that has their entries.
    private let index: [UInt16]
    private let blocks: [UInt64]
    /// The letters that are composed of a letter and a mark: each number has the letter, the mark and the composed
    /// letter in 21 bits each; sorted.
    private let pairs: [UInt64]

    private init() {
        var reader = Reader(bytes: WordData.base64.base64Bytes)
        let scalarCount = 0x110000
        var classes = [UInt8](repeating: 0, count: scalarCount)
        var end = 0
        for _ in 0..<reader.next() {
            let start = end + reader.next()
            end = start + reader.next()
            let kind = UInt8(truncatingIfNeeded: reader.next())
            let known = start..<max(start, min(end, scalarCount))
            classes.replaceSubrange(known, with: [UInt8](repeating: kind, count: known.count))
        }
        var folds: [Int: (UInt32, UInt32)] = [:]
        var scalar = 0
        for _ in 0..<reader.next() {
            scalar += reader.next()
            folds[scalar] = (UInt32(reader.next()), UInt32(reader.next()))
        }
        (index, blocks) = Self.blocks(classes, folds)
        pairs = (0..<reader.next()).map { _ in
            let (first, second) = (UInt64(reader.next()), UInt64(reader.next()))
            return first << 42 | second << 21 | UInt64(reader.next())
        }
    }

    /// Returns the values of `index` and `blocks`. Scalars that fold to themselves have 0 as their folded forms, so
    /// that many blocks are equal. Most of these are equal to the preceding block, which is detected before they are
    /// built.
    private static func blocks(_ classes: [UInt8], _ folds: [Int: (UInt32, UInt32)]) -> ([UInt16], [UInt64]) {
        var known: [[UInt64]: UInt16] = [:]
        var (index, blocks): ([UInt16], [UInt64]) = ([], [])
        let foldedBlocks = Set(folds.keys.map { $0 / blockSize })
        var before: (classes: [UInt8], number: UInt16)?
        for start in stride(from: 0, to: classes.count, by: blockSize) {
            let own = Array(classes[start..<start + blockSize])
            let isFolded = foldedBlocks.contains(start / blockSize)
            if let before, !isFolded, before.classes == own {
                index.append(before.number)
                continue
            }
            let block = (start..<start + blockSize).map { scalar in
                let (folded, plain) = folds[scalar] ?? (0, 0)
                return Entry(UInt32(classes[scalar]), folded: folded, plain: plain).word
            }
            let number = known[block] ?? UInt16(truncatingIfNeeded: known.count)
            if known[block] == nil {
                known[block] = number
                blocks += block
            }
            index.append(number)
            before = isFolded ? nil : (own, number)
        }
        return (index, blocks)
    }

    /// Returns the entry of a scalar; the entry of a separator for an invalid one.
    @inline(__always)
    func entry(_ scalar: UInt32) -> Entry {
        guard scalar < 0x110000 else { return Entry(Class.separator, folded: 0, plain: 0) }
        let block = Int(index[Int(scalar) / Self.blockSize])
        let word = blocks[block * Self.blockSize + Int(scalar) % Self.blockSize]
        let found = Entry(word: word)
        return found.folded == 0 ? Entry(found.class, folded: scalar, plain: scalar) : found
    }

    /// Returns the letter that is composed of a letter and a mark; nil if there is none.
    func composition(_ letter: UInt32, _ mark: UInt32) -> UInt32? {
        let key = UInt64(letter) << 21 | UInt64(mark)
        var (low, high) = (0, pairs.count)
        while low < high {
            let middle = (low + high) / 2
            if pairs[middle] >> 21 < key { low = middle + 1 } else { high = middle }
        }
        guard low < pairs.count, pairs[low] >> 21 == key else { return nil }
        return UInt32(truncatingIfNeeded: pairs[low]) & 0x1F_FFFF
    }

    private struct Reader {
        let bytes: [UInt8]
        private var offset = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> Int {
            var (value, shift) = (0, 0)
            while offset < bytes.count {
                let byte = bytes[offset]
                offset += 1
                value |= Int(byte & 127) << shift
                if byte < 128 { break }
                shift += 7
            }
            return value
        }
    }
}
