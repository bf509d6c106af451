import CSQLite
import SealiteCrypto

/// Finds out whether any page is still encrypted under an old epoch, that is, under a page key from before the rotation
/// in progress.
struct OldEpochScan {
    let file: MainFile
    let sealed: PageCodec

    /// Returns whether no page is sealed under an old epoch. Needs no lock: since the rotation began, no page has been
    /// sealed under the old epoch, so the result can't become wrong.
    func isClean() throws(VFSFailure) -> Bool {
        let pageCount = UInt32(truncatingIfNeeded: try file.size() / Int64(sealed.pageSize))
        guard pageCount > 0 else { return true }
        for number in 1...pageCount where number != sealed.lockBytePage {
            let epoch = try Self.epoch(of: number, file, sealed)
            if epoch != sealed.ring.currentEpoch, epoch != 0 { return false }
        }
        return true
    }

    /// Returns the epoch in a page's trailer, which isn't authenticated here; 0 for a page that was never written.
    static func epoch(of number: UInt32, _ file: MainFile, _ sealed: PageCodec) throws(VFSFailure) -> UInt32 {
        assert(number > 0 && number != sealed.lockBytePage)
        var epoch: UInt32 = 0
        let place = sealed.offset(of: number) + Int64(sealed.textByteCount + PageTrailer.epoch)
        let code = unsafe withUnsafeMutableBytes(of: &epoch) { buffer in
            guard let start = buffer.baseAddress else { return SQLITE_IOERR }
            return unsafe file.base.read(into: start, 4, at: place)
        }
        guard code == SQLITE_OK || code == SQLITE_IOERR_SHORT_READ else { throw VFSFailure(code) }
        return UInt32(littleEndian: epoch)
    }
}
