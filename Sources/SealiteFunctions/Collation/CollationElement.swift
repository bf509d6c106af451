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
