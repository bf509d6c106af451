import SealiteCrypto

/// The result of unlocking a file with a recovery key: the slot that was used, whether it is authenticated, and the
/// replacements for unauthenticated slots.
package struct OpenedRecovery: Sendable {
    /// The number of the slot that was used, counted from 1.
    package let slotNumber: Int
    /// A Boolean value that says whether only a holder of the private key, or of an earlier master key, can have
    /// created the slot that was used.
    package let isAuthenticated: Bool
    /// The identities of all recovery slots of the header that have the recovery key's public half.
    package let slots: [RecoverySlotName]
    /// The secrets with which the unauthenticated slots among `slots` can be converted to authenticated ones.
    let replacements: [RecoverySecret]
}
