internal import SealiteBase

/// The tables of the Unicode collations (laid out as scripts/make-collation.py says), decoded on first use.
struct CollationTables: Sendable {
    static let shared = CollationTables()

    /// The words of the tables: the version and the lengths of the sections, then all sections in sequence.
    private let words: [UInt32]
    /// The offset of each section in `words`.
    private let starts: [Int]

    /// The version of the tables of the Unicode collations.
    var version: Int { Int(words[0]) }

    private enum Section: Int, CaseIterable {
        case elementIndex, elementBlocks, elements, contractions
        case normalizationIndex, normalizationBlocks, decompositions, tailorings
    }

    private init() {
        words = Self.decode(CollationData.base64)
        var starts: [Int] = []
        var start = 2 + Section.allCases.count
        for index in Section.allCases.indices {
            starts.append(start)
            start += Int(words[2 + index])
        }
        self.starts = starts
    }

    /// Returns the 32-bit words, with the least significant byte first, that a text in base64 encodes; an incomplete word
    /// at the end is dropped.
    private static func decode(_ text: StaticString) -> [UInt32] {
        let bytes = text.base64Bytes
        var words: [UInt32] = []
        words.reserveCapacity(bytes.count / 4)
        for start in stride(from: 0, through: bytes.count - 4, by: 4) {
            let (low, high) = (UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8, UInt32(bytes[start + 2]))
            words.append(low | high << 16 | UInt32(bytes[start + 3]) << 24)
        }
        return words
    }

    private func word(_ section: Section, _ index: Int) -> UInt32 { words[starts[section.rawValue] + index] }

    private func half(_ section: Section, _ index: Int) -> UInt32 {
        word(section, index / 2) >> UInt32(index % 2 * 16) & 0xFFFF
    }

    // MARK: Elements

    /// The first scalar without entries in the tables: from this scalar on, weights are implicit or missing.
    private static let end: UInt32 = 0x30000

    /// The collation elements of one scalar or of a contraction in the root order.
    struct Entry {
        fileprivate let word: UInt32

        /// A Boolean value that says whether there is no entry, so that weights are computed from the scalar.
        var isImplicit: Bool { word & 3 == 3 }
    }

    /// Returns the entry of a single scalar in the root order.
    func entry(_ scalar: UInt32) -> Entry {
        guard scalar < Self.end else { return Entry(word: Self.isIgnorable(scalar) ? 0 : 3) }
        let found = value(scalar)
        return Entry(word: found & 3 == 2 ? word(.contractions, Int(found >> 2)) : found)
    }

    private func value(_ scalar: UInt32) -> UInt32 {
        let block = half(.elementIndex, Int(scalar >> 7))
        return word(.elementBlocks, Int(block << 7 | scalar & 127))
    }

    /// Returns whether a scalar is a tag or a variation selector.
    private static func isIgnorable(_ scalar: UInt32) -> Bool {
        scalar == 0xE0001 || (0xE0020...0xE007F).contains(scalar) || (0xE0100...0xE01EF).contains(scalar)
    }

    /// Returns whether a scalar begins a contraction of the root order.
    func beginsContractions(_ scalar: UInt32) -> Bool { scalar < Self.end && value(scalar) & 3 == 2 }

    /// Calls `body` with the scalars after `starter` of each contraction that begins with it, and with the
    /// contraction's entry, the longest contraction first, until `body` returns false.
    func forEachContraction(_ starter: UInt32, _ body: (ContractionSuffix, Entry) -> Bool) {
        guard starter < Self.end else { return }
        let found = value(starter)
        guard found & 3 == 2 else { return }
        var place = Int(found >> 2) + 1
        for _ in 0..<word(.contractions, place) {
            let count = Int(word(.contractions, place + 1))
            let suffix = ContractionSuffix(start: starts[Section.contractions.rawValue] + place + 3, count: count)
            guard body(suffix, Entry(word: word(.contractions, place + 2))) else { return }
            place += 2 + count
        }
    }

    /// The scalars after the first one of a contraction. `scalar(_:of:)` returns each of them.
    struct ContractionSuffix {
        fileprivate let start: Int
        let count: Int
    }

    func scalar(_ index: Int, of suffix: ContractionSuffix) -> UInt32 { words[suffix.start + index] }

    /// Appends the collation elements of an entry that isn't implicit.
    func append(_ entry: Entry, to elements: inout [CollationElement]) {
        let word = entry.word
        if word & 3 == 1 {
            let start = Int(word >> 8)
            for index in start..<(start + Int(word >> 2 & 63)) {
                elements.append(CollationElement(packed: self.word(.elements, index)))
            }
        } else if word != 0 {
            elements.append(CollationElement(packed: word))
        }
    }

    // MARK: Normalization

    /// Returns the canonical combining class of a scalar that has no canonical decomposition; 0 for any other scalar.
    func combiningClass(_ scalar: UInt32) -> UInt8 {
        let value = normalization(scalar)
        return value < 256 ? UInt8(truncatingIfNeeded: value) : 0
    }

    /// Appends a scalar's full canonical decomposition, or the scalar itself.
    ///
    /// - Returns: true if an appended scalar may have to be reordered.
    func appendDecomposed(_ scalar: UInt32, to scalars: inout [UInt32]) -> Bool {
        let value = normalization(scalar)
        guard value >= 256 else {
            scalars.append(scalar)
            return value != 0
        }
        let place = Int(value - 256)
        for index in 0..<Int(word(.decompositions, place)) {
            scalars.append(word(.decompositions, place + 1 + index))
        }
        return true
    }

    private func normalization(_ scalar: UInt32) -> UInt32 {
        guard scalar < Self.end else { return 0 }
        let block = half(.normalizationIndex, Int(scalar >> 7))
        return half(.normalizationBlocks, Int(block << 7 | scalar & 127))
    }

    // MARK: Tailorings

    /// Returns the tailoring for the locale with a name, in lower case; nil if there is none.
    func tailoring(_ name: String) -> CollationTailoring? {
        var place = starts[Section.tailorings.rawValue]
        let count = words[place]
        place += 1
        for _ in 0..<count {
            var reader = CollationTailoring.Reader(words: words, place: place + 1)
            if reader.name() == name { return CollationTailoring(&reader) }
            place += 1 + Int(words[place])
        }
        return nil
    }
}

/// An element of the Unicode collation algorithm: three weights, each of which may be 0 for "ignored".
///
/// Each weight has an offset after the root order's weight, so that tailorings can insert weights between two weights
/// of the root order.
struct CollationElement: Sendable {
    /// The primary weight: the root order's weight in the upper half, the offset in the lower half.
    var primary: UInt32
    /// The secondary weight: the root order's weight in the upper bits, the offset in the lower six bits.
    let secondary: UInt16
    /// The case in the highest two bits, the root order's tertiary weight in bits 6 to 13, and the offset in the lower
    /// six bits.
    private let caseAndTertiary: UInt16

    /// Creates an element of the root order from a word: 16, 9 and 5 bits of weights, from the highest bit down, and
    /// two bits that aren't part of the element.
    init(packed word: UInt32) {
        let tertiary = word >> 2 & 31
        primary = word & 0xFFFF_0000
        secondary = UInt16(truncatingIfNeeded: word >> 7 & 511) << 6
        let isUpper = primary != 0 && Self.upperTertiaries >> tertiary & 1 == 1
        caseAndTertiary = UInt16(truncatingIfNeeded: tertiary << 6) | (isUpper ? 2 << 14 : 0)
    }

    /// Creates an element of a tailoring, a locale's changes of the root order, from two words: the primary weight; and
    /// the secondary weight in the upper half, with case and tertiary weight in the lower half.
    init(_ first: UInt32, _ second: UInt32) {
        primary = first
        secondary = UInt16(truncatingIfNeeded: second >> 16)
        caseAndTertiary = UInt16(truncatingIfNeeded: second)
    }

    /// Appends the two elements of a scalar whose weights the root order doesn't list.
    /// https://unicode.org/reports/tr10/#Implicit_Weights
    static func appendImplicit(_ scalar: UInt32, to elements: inout [CollationElement]) {
        let (first, second) = implicitWeights(scalar)
        elements.append(CollationElement(first << 16, UInt32(Self.commonSecondary) << 16 | UInt32(Self.commonTertiary)))
        elements.append(CollationElement(second << 16, 0))
    }

    private static func implicitWeights(_ scalar: UInt32) -> (UInt32, UInt32) {
        switch scalar {
        case 0x17000...0x187F7, 0x18800...0x18AFF, 0x18D00...0x18D08: return (0xFB00, (scalar - 0x17000) | 0x8000)
        case 0x1B170...0x1B2FB: return (0xFB01, (scalar - 0x1B170) | 0x8000)
        case 0x18B00...0x18CD5: return (0xFB02, (scalar - 0x18B00) | 0x8000)
        default:
            let base: UInt32
            switch scalar {
            case 0x4E00...0x9FFF: base = 0xFB40
            case 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B738, 0x2B740...0x2B81D, 0x2B820...0x2CEA1,
                0x2CEB0...0x2EBE0, 0x30000...0x3134A:
                base = 0xFB80
            default: base = 0xFBC0
            }
            return (base + scalar >> 15, scalar & 0x7FFF | 0x8000)
        }
    }

    static let commonSecondary: UInt16 = 0x20 << 6
    static let commonTertiary: UInt16 = 2 << 6

    /// The set of the tertiary weights of uppercase letters, with a bit for each weight.
    /// https://unicode.org/reports/tr35/tr35-collation.html#Case_Untailored
    private static let upperTertiaries: UInt32 = 0x1F << 8 | 1 << 0x0E | 1 << 0x11 | 1 << 0x12 | 1 << 0x1D

    var tertiary: UInt16 { caseAndTertiary & 0x3FFF }
    /// The case of the element's letter: 0 for lowercase letters and caseless scalars, 1 for mixed case, 2 for
    /// uppercase letters.
    var letterCase: UInt8 { UInt8(truncatingIfNeeded: caseAndTertiary >> 14) }
    /// A Boolean value that says whether the element is the second of the two elements of a scalar with implicit
    /// weights.
    var isContinuation: Bool { primary != 0 && secondary == 0 }
}

extension StaticString {
    /// The bytes that the text encodes in base64. Decoding ends at the first character that isn't a digit.
    var base64Bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(utf8CodeUnitCount * 3 / 4)
        var (bits, bitCount) = (UInt32(0), 0)
        for index in 0..<utf8CodeUnitCount {
            guard let digit = Base64.value(unsafe utf8Start[index]) else { break }
            bits = bits << 6 | UInt32(digit)
            bitCount += 6
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
        }
        return bytes
    }
}
