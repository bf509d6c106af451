import SealiteCrypto

/// The header's record of a rotation in progress: the old keys in wrapped form, by which pages of the old epoch are
/// decrypted.
package struct RotationRecord: Equatable, Sendable {
    package var previousMasterID: [UInt8]
    package var previousEpoch: EpochRecord
    package var bridge: WrappedKey
}
