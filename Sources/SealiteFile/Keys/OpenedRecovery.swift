import SealiteCrypto

/// Describes how a recovery key opened a file.
package struct OpenedRecovery: Sendable {
    /// The number of the slot that was used, counted from 1.
    package let slotNumber: Int
    /// A Boolean value that says whether only a holder of the private key, or of an earlier master key, can have
    /// created that slot.
    package let isAuthenticated: Bool
    /// The secrets with which the unauthenticated slots among them can be converted.
    package let slots: [RecoverySlotName]
    /// The secrets to replace those of the slots that are unauthenticated.
    let replacements: [RecoverySecret]
}
