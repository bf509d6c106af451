import SealiteCrypto

/// The page key of one epoch, wrapped under the current master key.
package struct EpochRecord: Equatable, Sendable {
    package var epoch: UInt32
    package var wrapped: WrappedKey

    var encoded: [UInt8] { [UInt8].littleEndian(epoch) + [0, 0, 0, 0] + wrapped.bytes }
}
