internal import SealiteCrypto

/// Describes a header copy that somebody without the file's key wrote or changed.
package struct HeaderTampering {
    package let reason: String
    /// The copy's number, 0 or 1.
    package let copy: Int
    /// A Boolean value that says whether the tampered copy is the copy in force. If so, no field of the header can be
    /// trusted.
    let chosenCopy: Bool
}
