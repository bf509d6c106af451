import SealiteCrypto

/// The header's record of a rotation in progress: the previous keys in wrapped form, with which pages of the previous
/// epoch are decrypted.
package struct RotationRecord: Equatable, Sendable {
    package var previousMasterID: [UInt8]
    package var previousEpoch: EpochRecord
    package var bridge: WrappedKey
}
