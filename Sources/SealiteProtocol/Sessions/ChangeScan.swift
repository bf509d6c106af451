internal import SealiteRevisions

/// The parameters of a search for local changes to send.
package struct ChangeScan: Sendable, Hashable {
    /// The sequence after which to search.
    package var after: UInt64
    /// The maximum number of changes to return.
    package var limit: Int
    /// The IDs of the only documents to consider; nil for all.
    package var documentIDs: [String]?
    /// The sequence up to which tombstones are left out, at most the collection's last sequence when the search begins;
    /// 0 if none are.
    package var activeOnlyThrough: UInt64
    /// A Boolean value that says whether changes are left out that the remote is known to have or that the push filter
    /// rejects.
    package var isForPush: Bool
    /// The sequence up to which changes are returned as if the remote had none of them; 0 for none.
    package var reofferedThrough: UInt64 = 0

    package init(
        after: UInt64, limit: Int, documentIDs: [String]? = nil, activeOnlyThrough: UInt64 = 0, isForPush: Bool,
        reofferedThrough: UInt64 = 0
    ) {
        self.after = after
        self.limit = limit
        self.documentIDs = documentIDs
        self.activeOnlyThrough = activeOnlyThrough
        self.isForPush = isForPush
        self.reofferedThrough = reofferedThrough
    }
}
