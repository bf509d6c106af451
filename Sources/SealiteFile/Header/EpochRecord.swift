import SealiteCrypto

/// The page key of one epoch, encrypted under the current master key. An epoch is the time between two key rotations,
/// numbered from 1.
package struct EpochRecord: Equatable, Sendable {
    package var epoch: UInt32
    package var wrapped: WrappedKey

    var encoded: [UInt8] {
        assert(epoch > 0, "epochs are numbered from 1")
        return [UInt8].littleEndian(epoch) + [0, 0, 0, 0] + wrapped.bytes
    }
}
