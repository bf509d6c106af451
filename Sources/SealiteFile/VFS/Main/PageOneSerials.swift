/// The page-one serials that one connection reads and writes. The serial is a counter in the trailer of page 1: a
/// transaction that writes page 1 gives it a serial that is one higher than that of the page 1 it found.
/// `Documentation/FORMAT.md` §6.
final class PageOneSerials {
    /// The serial of page 1 as this connection last read or wrote it.
    private(set) var seen: UInt32 = 0
    /// The serial of page 1 at the beginning of the running transaction; nil if none runs.
    private var before: UInt32?

    /// Records the serial of a page 1 that was read or written.
    func note(_ serial: UInt32) { seen = serial }

    /// Records the beginning of a transaction, with page 1 as last read.
    func transactionBegins() { before = seen }

    /// Records that a hot journal is about to be rolled back, which restores page 1 as of the end of the preceding
    /// transaction. `serial` is the serial of that page 1.
    func playsBack(_ serial: UInt32) { before = serial }

    /// Records the end of the transaction.
    func transactionEnded() { before = nil }

    /// Returns the serial of page 1 before the running transaction. If none runs, a transaction is recorded as begun.
    func beforeTransaction() -> UInt32 {
        let serial = before ?? seen
        before = serial
        return serial
    }

    /// Returns the serial that the running transaction gives to page 1 if it writes the page.
    func ofTransaction() -> UInt32 { beforeTransaction() &+ 1 }
}
