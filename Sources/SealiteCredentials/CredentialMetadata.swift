public import FoundationEssentials

/// The description of a stored item without its secret.
public struct CredentialMetadata: Sendable, Hashable {
    /// The reference of the credential.
    public let reference: CredentialReference
    /// The label that the desktop's password manager shows. It isn't secret.
    public let label: String
    /// The label, if a person chose it; nil if it is a standard label, such as `Sealite password of ana for` and the
    /// service in any spelling.
    package var ownLabel: String? { label.hasPrefix(reference.label(naming: "")) ? nil : label }
    /// The time at which the item was created; nil if the store doesn't know.
    public let created: Date?
    /// The time at which the item was last changed; nil if the store doesn't know.
    public let modified: Date?
    /// A Boolean value that says whether the item must be unlocked before its secret can be read.
    public let isLocked: Bool

    /// Creates the description of an item; stores outside this package use this initializer too.
    public init(reference: CredentialReference, label: String, created: Date?, modified: Date?, isLocked: Bool) {
        self.reference = reference
        self.label = label
        self.created = created
        self.modified = modified
        self.isLocked = isLocked
    }
}
