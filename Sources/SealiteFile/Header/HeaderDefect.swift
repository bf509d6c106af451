internal import SealiteCrypto

/// The reason why a header copy can't be used.
package enum HeaderDefect: Error, Equatable {
    /// The copy doesn't begin with the magic number of a sealed file.
    case notSealed
    /// The copy is cut short, or its checksum is invalid.
    case damaged(String)
    /// The checksum is valid, but a field has a value that no version of Sealite writes. A crash can't cause that:
    /// somebody wrote the copy deliberately.
    case illegal(String)
    /// A format version, cipher, key slot kind or other value that this version of Sealite doesn't know.
    case unsupported(String)
    /// A value of a format that was removed before the first release, which this version of Sealite knows by name only.
    case removed(String)
}
