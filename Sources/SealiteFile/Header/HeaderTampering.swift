internal import SealiteCrypto

/// Describes a header copy that was written without the key.
package struct HeaderTampering {
    package let reason: String
    /// The copy's number, 0 or 1.
    package let copy: Int
    /// A Boolean value that says whether it is the copy in force, so that none of its fields can be trusted.
    let chosenCopy: Bool
}
