import CSQLite
import SealiteCrypto

/// One batch of a rotation, under a lock that excludes all other writers of the database file: collects pages of old
/// epochs, makes their new images durable in the sidecar (the rotation's own journal file), and writes them to the
/// database file.
struct RotationBatch {
    let file: MainFile
    let sealed: PageCodec
    let first: UInt32
    /// The maximum number of pages to reseal.
    let limit: Int
    /// The maximum time in seconds to spend collecting pages.
    let patience: Double
    let serial: UInt64

    /// The maximum number of pages to examine in one batch: for those of the new epoch only the trailer is read.
    private static let lookLimit: UInt32 = 16384
    /// The number of pages examined between two readings of the clock.
    private static let clockInterval: UInt32 = 64

    func run() throws(VFSFailure) -> BatchResult {
        assert(first > 0 && limit > 0)
        assert(limit <= SidecarLayout.pageLimit, "the sidecar has room for the batch")
        try file.rotation.finishOpenBatch()
        try sealing { () throws(SealedFileError) in try sealed.beginSealing() }
        let pageCount = UInt32(truncatingIfNeeded: try file.size() / Int64(sealed.pageSize))
        let images = UnsafeMutableRawBufferPointer.allocate(byteCount: limit * sealed.pageSize, alignment: 4096)
        defer { unsafe images.deallocate() }
        var numbers: [UInt32] = []
        var number = first
        let end = RotationWorker.now() + patience
        while number <= pageCount, numbers.count < limit, number - first < Self.lookLimit {
            if number - first >= Self.clockInterval, number % Self.clockInterval == 0, RotationWorker.now() > end {
                break
            }
            if number != sealed.lockBytePage, try epoch(of: number) != sealed.ring.currentEpoch,
                let start = images.baseAddress,
                unsafe try reseal(number, into: start + numbers.count * sealed.pageSize)
            {
                numbers.append(number)
            }
            number += 1
        }
        assert(number > first || first > pageCount, "a batch looks at one page at least")
        try unsafe write(
            numbers, UnsafeRawBufferPointer(rebasing: images[0..<numbers.count * sealed.pageSize]), pageCount)
        return BatchResult(nextPage: number, pageCount: Int(pageCount), resealed: numbers.count)
    }

    private func epoch(of number: UInt32) throws(VFSFailure) -> UInt32 {
        try OldEpochScan.epoch(of: number, file, sealed)
    }

    /// Reseals a page of an old epoch into `image`. Returns false for a page of zeros, which was never written. A page
    /// that doesn't authenticate is never rewritten: the rotation stops, with both keys kept.
    private func reseal(_ number: UInt32, into image: UnsafeMutableRawPointer) throws(VFSFailure) -> Bool {
        assert(number != sealed.lockBytePage)
        unsafe try check(file.base.read(into: image, sealed.pageSize, at: sealed.offset(of: number)))
        let isHole = unsafe UnsafeRawBufferPointer(start: image, count: sealed.pageSize).allSatisfy { $0 == 0 }
        if isHole { return false }
        guard case .opened(let pageOneSerial) = unsafe try sealed.open(image, number: number) else {
            throw VFSFailure(
                .damagedPage(
                    number, pageSize: sealed.pageSize, cause: "can't be decrypted with its key from before the rotation"
                ))
        }
        unsafe try sealed.seal(image, number: number, pageOneSerial: pageOneSerial)
        unsafe memcpy(image, sealed.scratch, sealed.pageSize)
        return true
    }

    private func write(_ numbers: [UInt32], _ images: UnsafeRawBufferPointer, _ pageCount: UInt32) throws(VFSFailure) {
        guard !numbers.isEmpty else { return }
        let sidecar = try sealing { () throws(SealedFileError) in
            try RotationSidecar(of: file.origin.path, vfs: file.origin.baseVFS, ring: sealed.ring, create: true)
        }
        guard let sidecar, let start = images.baseAddress, let last = numbers.last else { return }
        assert(images.count == numbers.count * sealed.pageSize, "the sidecar gets an image of each page")
        assert(last <= pageCount)
        let batch = SidecarBatch(
            masterID: sealed.ring.content.masterID, serial: serial, isOpen: true, progress: last, pageCount: pageCount,
            pages: numbers)
        unsafe try sidecar.open(batch, images: images)
        for (index, number) in numbers.enumerated() {
            let image = unsafe start + index * sealed.pageSize
            unsafe try check(file.base.write(image, sealed.pageSize, at: sealed.offset(of: number)))
        }
        try check(file.base.sync(SQLITE_SYNC_FULL))
        try sidecar.close(batch)
    }
}
