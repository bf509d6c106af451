import SealiteCrypto

/// The header's record of a rotation in progress: the page key of the previous epoch, wrapped under the new master key,
/// and the bridge, which is the new master key wrapped under the previous one.
package struct RotationRecord: Equatable, Sendable {
    package var previousMasterID: [UInt8]
    package var previousEpoch: EpochRecord
    package var bridge: WrappedKey
}
