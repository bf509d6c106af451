import SealiteCrypto

/// The identity of a recovery slot: id, public key and kind together, since none of them alone identifies it.
package struct RecoverySlotName: Hashable, Sendable {
    let id: [UInt8]
    package let publicKey: [UInt8]
    package let kind: SlotKind
}
