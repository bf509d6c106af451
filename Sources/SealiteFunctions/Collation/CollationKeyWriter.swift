import SealiteJSON

/// Writes the levels of a string's key under a Unicode collation (Documentation/Collation.md §3). Trailing common
/// weights and levels are omitted, since they are the lowest of all.
struct CollationKeyWriter {
    private var pendingSeparators = 0
    private var pendingCommons = 0

    private static let separator: UInt8 = 1
    private static let common: UInt8 = 2

    mutating func startLevel() {
        pendingSeparators += 1
        pendingCommons = 0
    }

    private mutating func flush(_ key: inout GrowingBytes) {
        for _ in 0..<pendingSeparators { key.append(Self.separator) }
        for _ in 0..<pendingCommons { key.append(Self.common) }
        (pendingSeparators, pendingCommons) = (0, 0)
    }

    /// Appends a primary weight: two bytes, the first of which is above the separator, and two more for an offset
    /// between the root order's weights.
    static func appendPrimary(_ element: CollationElement, to key: inout GrowingBytes) {
        let weight = UInt16(truncatingIfNeeded: element.primary >> 16)
        let place = UInt8(truncatingIfNeeded: element.primary)
        if element.isContinuation {
            key.append(UInt8(weight >> 8))
        } else {
            // The weights of U+FFFD and U+FFFF are above all implicit ones and would exceed the range.
            key.append(weight >= 0xFE00 ? 0xFE : UInt8(weight >> 8) + 2)
        }
        key.append(UInt8(truncatingIfNeeded: weight))
        guard place != 0 else { return }
        // No weight begins with such a high byte: a weight with an offset comes after any continuation of the weight
        // without it.
        key.append(0xFF)
        key.append(place)
    }

    mutating func appendSecondary(_ element: CollationElement, to key: inout GrowingBytes) {
        guard element.secondary != CollationElement.commonSecondary else {
            pendingCommons += 1
            return
        }
        flush(&key)
        let distance = element.secondary &- CollationElement.commonSecondary
        key.append(UInt8(truncatingIfNeeded: distance >> 7) + 3)
        key.append(UInt8(truncatingIfNeeded: distance & 0x7F))
    }

    mutating func appendTertiary(_ element: CollationElement, capitalsFirst: Bool, to key: inout GrowingBytes) {
        let distance = element.tertiary &- CollationElement.commonTertiary
        let place = UInt8(truncatingIfNeeded: distance & 0x3F)
        let byte = UInt8(truncatingIfNeeded: (distance >> 6) << 1) + (place == 0 ? 0 : 1)
        if capitalsFirst {
            flush(&key)
            key.append(byte + 4 + 80 * (2 - element.letterCase))
        } else if distance == 0 {
            pendingCommons += 1
            return
        } else {
            flush(&key)
            key.append(byte + 3)
        }
        if place != 0 { key.append(place) }
    }

    mutating func appendCase(_ element: CollationElement, capitalsFirst: Bool, to key: inout GrowingBytes) {
        let letterCase = capitalsFirst ? 2 - element.letterCase : element.letterCase
        guard letterCase != 0 else {
            pendingCommons += 1
            return
        }
        flush(&key)
        key.append(Self.common + letterCase)
    }
}
