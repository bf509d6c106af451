package import SealiteRevisions

/// A part of the local changes that a session has to send, ordered by sequence.
package struct ChangePage: Sendable, Hashable {
    package var changes: [LocalChange]
    /// The sequence up to which all local changes were examined: those that aren't in `changes` need not be sent.
    package var scannedThrough: UInt64
    /// A Boolean value that says whether no further changes followed when these were read.
    package var isEnd: Bool
    /// The sequence up to which tombstones were left out; 0 if none were. The following pages leave out tombstones up to
    /// the same sequence.
    package var activeOnlyThrough: UInt64

    package init(changes: [LocalChange], scannedThrough: UInt64, isEnd: Bool, activeOnlyThrough: UInt64 = 0) {
        self.changes = changes
        self.scannedThrough = scannedThrough
        self.isEnd = isEnd
        self.activeOnlyThrough = activeOnlyThrough
    }
}
