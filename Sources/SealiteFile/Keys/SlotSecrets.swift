internal import SealiteCrypto

/// Returns whether two byte strings are equal. The time doesn't depend on the content of strings of equal length.
package func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}
