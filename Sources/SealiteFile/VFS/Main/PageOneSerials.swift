/// The serials of page 1: each transaction's is one more than that of the page it found. `Documentation/FORMAT.md` §6.
final class PageOneSerials {
    /// The serial of page 1 as this connection last read or wrote it.
    private(set) var seen: UInt32 = 0
    /// The serial of page 1 at the beginning of the running transaction; nil if none runs.
    private var before: UInt32?

    /// Records the serial of a page 1 that was read or written.
    func note(_ serial: UInt32) { seen = serial }

    /// Records the beginning of a transaction, with page 1 as last read.
    func transactionBegins() { before = seen }

    /// Records the rollback of a hot journal, which restores page 1 as of the preceding transaction.
    func playsBack(_ serial: UInt32) { before = serial }

    /// Records the end of the transaction.
    func transactionEnded() { before = nil }

    /// Returns the serial of page 1 before the running transaction, beginning one if none runs.
    func beforeTransaction() -> UInt32 {
        let serial = before ?? seen
        before = serial
        return serial
    }

    /// Returns the serial for page 1 if the running transaction writes it.
    func ofTransaction() -> UInt32 { beforeTransaction() &+ 1 }
}
