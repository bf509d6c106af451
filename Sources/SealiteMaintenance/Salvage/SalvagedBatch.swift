import SealiteCrypto
import SealiteFile

/// The batch of pages that an interrupted key rotation was writing: their new images are in the rotation's sidecar, the
/// file `<db>-rotate`.
struct SalvagedBatch {
    private let sidecar: RotationSidecar
    private let batch: SidecarBatch

    /// Reads the batch; nil if the rotation left no unfinished batch.
    init?(of path: String, vfs: String, ring: KeyRing) throws(SealedFileError) {
        guard ring.isRotating else { return nil }
        let sidecar = try RotationSidecar(of: path, vfs: vfs, ring: ring, create: false, isReadOnly: true)
        guard let sidecar else { return nil }
        let batch = try SealedFileError.mapping { () throws(VFSFailure) in try sidecar.batch() }
        guard let batch, batch.isOpen else { return nil }
        self.sidecar = sidecar
        self.batch = batch
    }

    /// Reads a page's image into `buffer`; returns false if the batch doesn't contain the page.
    func readImage(of number: UInt32, into buffer: UnsafeMutableRawPointer) -> Bool {
        guard let index = batch.pages.firstIndex(of: number) else { return false }
        return (try? unsafe sidecar.readImage(index, of: batch, into: buffer)) ?? false
    }
}
