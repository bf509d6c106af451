internal import FoundationEssentials

/// The items of a store, without secrets.
public struct CredentialListing: Sendable, Hashable {
    /// The items, ordered by service, account and kind. Items that share one reference are listed separately.
    public let items: [CredentialMetadata]
    /// A Boolean value that says whether the items are complete: false if a part of the store is locked and may contain
    /// more.
    public let isComplete: Bool

    /// Creates a listing and sorts the items; stores outside this package use this initializer too.
    public init(items: [CredentialMetadata], isComplete: Bool) {
        self.items = items.sorted { left, right in
            let (a, b) = (left.reference, right.reference)
            return (a.service.canonical, a.account, a.kind.rawValue) < (b.service.canonical, b.account, b.kind.rawValue)
        }
        self.isComplete = isComplete
    }
}
