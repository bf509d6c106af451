package import SealiteRevisions

/// Local changes, ordered by sequence.
package struct ChangePage: Sendable, Hashable {
    package var changes: [LocalChange]
    /// The sequence up to which all local changes were examined: those that aren't in the page need not be sent.
    package var scannedThrough: UInt64
    /// A Boolean value that says whether there were no more changes at that time.
    package var isEnd: Bool

    package init(changes: [LocalChange], scannedThrough: UInt64, isEnd: Bool) {
        self.changes = changes
        self.scannedThrough = scannedThrough
        self.isEnd = isEnd
    }
}
