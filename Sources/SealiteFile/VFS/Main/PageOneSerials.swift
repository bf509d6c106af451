/// The serials of page 1: a transaction's is one more than that of the page it found. `Documentation/FORMAT.md` §6.
final class PageOneSerials {
    /// The serial of page 1 as this handle last read or wrote it.
    private(set) var seen: UInt32 = 0
    /// The serial that page 1 had when the running transaction began.
    private var before: UInt32?

    /// Takes note of the serial of a page 1 that was read or written.
    func note(_ serial: UInt32) { seen = serial }

    /// Takes note that a transaction begins with page 1 as it was seen last.
    func transactionBegins() { before = seen }

    /// Takes note of the playback of a journal that a crash left: page 1 comes back as of the transaction behind it.
    func playsBack(_ serial: UInt32) { before = serial }

    /// Forgets the transaction.
    func transactionEnded() { before = nil }

    /// Returns the serial that page 1 had before the running transaction, which begins with this call if none runs.
    func beforeTransaction() -> UInt32 {
        let serial = before ?? seen
        before = serial
        return serial
    }

    /// Returns the serial that page 1 gets if the running transaction writes it.
    func ofTransaction() -> UInt32 { beforeTransaction() &+ 1 }
}
