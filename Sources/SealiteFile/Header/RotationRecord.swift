import SealiteCrypto

/// The header's record of a rotation in progress: how to read what was sealed under the old keys.
package struct RotationRecord: Equatable, Sendable {
    package var previousMasterID: [UInt8]
    package var previousEpoch: EpochRecord
    package var bridge: WrappedKey
}
