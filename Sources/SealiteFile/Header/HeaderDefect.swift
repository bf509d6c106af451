internal import SealiteCrypto

/// The reason why a header copy can't be used.
package enum HeaderDefect: Error, Equatable {
    /// No magic: not a sealed file.
    case notSealed
    /// The checksum is invalid.
    case damaged(String)
    /// The checksum is valid, but a field has a value that no version of Sealite writes. A crash can't cause that:
    /// somebody wrote the copy deliberately.
    case illegal(String)
    /// A version, cipher or slot kind that this version doesn't know.
    case unsupported(String)
}
