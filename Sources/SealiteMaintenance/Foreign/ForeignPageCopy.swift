import CSQLite
import Dispatch
import Glibc
import SealiteFile

/// Copies the pages of a database that another program encrypted into a sealed file, as they are, and compares them.
///
/// Two threads share the work: while the pages of a step are sealed and compared, those of the next one are decrypted.
struct ForeignPageCopy {
    private let source: ForeignFile
    private let output: BaseHandle
    private let sealed: PageCodec
    /// Sealed pages of a step, and one that is opened again.
    private let images: PlainBuffer
    private let page: PlainBuffer
    private let pagesPerStep: Int
    private let progress: CopyProgressHandler

    /// The size of a step in bytes. SQLite's unix VFS writes less than 128 KiB in one call.
    private static let stepByteCount = 64 << 10
    /// The number of steps between two progress reports.
    private static let stepsPerReport: UInt32 = 64

    /// Creates a copier into a new sealed file of the same page size.
    init(
        from source: ForeignFile, into copy: SealedDatabase, progress: @escaping CopyProgressHandler
    ) throws(SealedFileError) {
        assert(source.hasSealablePages && source.pageSize == copy.pageSize)
        self.source = source
        self.progress = progress
        output = try BaseHandle(copy.path, vfs: copy.vfs.base, flags: SQLITE_OPEN_READWRITE)
        sealed = PageCodec(ring: copy.ring, use: .main)
        pagesPerStep = Self.stepByteCount / source.pageSize
        assert(pagesPerStep > 0)
        images = PlainBuffer(byteCount: Self.stepByteCount)
        page = PlainBuffer(byteCount: source.pageSize)
    }

    /// Copies all pages, step by step. The pages of a step are read from the copy again and compared byte by byte.
    ///
    /// - Throws: `SealedFileError` `damagedPage` with the numbers of the pages that aren't authentic, `integrity` if the copy
    ///   isn't equal, `cancelled`, and errors of reading and writing.
    func run() throws(SealedFileError) {
        let ahead = PagesAhead(of: source, byteCount: Self.stepByteCount)
        do throws(SealedFileError) {
            try copyAll(ahead)
        } catch {
            ahead.finish()
            // The first damaged page ends the copy; all others are named too.
            if error.code == .damagedPage { try source.readRest { progress(source.progress($0)) } }
            throw error
        }
    }

    private func copyAll(_ ahead: PagesAhead) throws(SealedFileError) {
        let last = source.contentPageCount
        let count = UInt32(pagesPerStep)
        ahead.begin(1...min(last, count))
        for step in 0...(last - 1) / count {
            if step % Self.stepsPerReport == 0 {
                guard progress(source.progress(step * count)) else { throw .copyCancelled }
                try sealed.beginSealing()
            }
            let (numbers, pages) = try ahead.take()
            if numbers.upperBound < last {
                ahead.begin(numbers.upperBound + 1...numbers.upperBound + min(count, last - numbers.upperBound))
            }
            try copy(numbers, pages)
        }
    }

    private func copy(_ numbers: ClosedRange<UInt32>, _ pages: PlainBuffer) throws(SealedFileError) {
        let byteCount = numbers.count * source.pageSize
        let unequal: UInt32? = try SealedFileError.mapping { () throws(VFSFailure) in
            for number in numbers {
                let image = unsafe images.start + offset(of: number, in: numbers)
                // A page that is never written is a hole in both files.
                guard number != source.lockBytePage else {
                    unsafe memset(image, 0, source.pageSize)
                    continue
                }
                let text = unsafe pages.start + offset(of: number, in: numbers)
                unsafe try sealed.seal(text, number: number, pageOneSerial: number == 1 ? 1 : 0)
                unsafe image.copyMemory(from: sealed.scratch, byteCount: source.pageSize)
            }
            let place = sealed.offset(of: numbers.lowerBound)
            unsafe try check(output.file.write(images.start, byteCount, at: place))
            unsafe try check(output.file.read(into: images.start, byteCount, at: place))
            for number in numbers where number != source.lockBytePage {
                guard try isEqual(number, in: numbers, pages) else { return number }
            }
            return nil
        }
        guard let unequal else { return }
        throw SealedFileError(
            .integrity,
            "page \(unequal) of the copy isn't equal to that of \"\(source.path)\", and the copy was removed",
            hint: "check the disk and the memory for errors, then try again", page: unequal)
    }

    private func isEqual(
        _ number: UInt32, in numbers: ClosedRange<UInt32>, _ pages: PlainBuffer
    ) throws(VFSFailure) -> Bool {
        let offset = offset(of: number, in: numbers)
        let opening = unsafe try sealed.open(images.start + offset, number: number, into: page.start)
        guard case .opened = opening else { return false }
        return unsafe memcmp(pages.start + offset, page.start, source.pageSize) == 0
    }

    private func offset(of number: UInt32, in numbers: ClosedRange<UInt32>) -> Int {
        Int(number - numbers.lowerBound) * source.pageSize
    }
}

/// Decrypts consecutive pages of a file on a thread of its own, one step ahead of the thread that takes them.
// `source`, `buffers` and `outcome` belong to the queue between `begin` and the end of its work, for which `take` and
// `finish` wait, and to the caller at all other times, except that the caller may read the buffer that it took last.
private final class PagesAhead: @unchecked Sendable {
    private let source: ForeignFile
    /// The pages that are read, and those that were taken last.
    private var buffers: (next: PlainBuffer, taken: PlainBuffer)
    private var numbers: ClosedRange<UInt32>?
    private var outcome = Result<Void, SealedFileError>.success(())
    private let queue = DispatchQueue(label: "sealite.pages-ahead")

    init(of source: ForeignFile, byteCount: Int) {
        self.source = source
        buffers = (PlainBuffer(byteCount: byteCount), PlainBuffer(byteCount: byteCount))
    }

    /// Begins to read a step's pages.
    func begin(_ numbers: ClosedRange<UInt32>) {
        assert(self.numbers == nil, "the pages before were taken")
        self.numbers = numbers
        queue.async { [self] in
            outcome = Result { () throws(SealedFileError) in try read(numbers) }
        }
    }

    private func read(_ numbers: ClosedRange<UInt32>) throws(SealedFileError) {
        let byteCount = numbers.count * source.pageSize
        try unsafe source.read(
            numbers, into: UnsafeMutableRawBufferPointer(start: buffers.next.start, count: byteCount))
    }

    /// Waits for the pages that are being read and returns them; they stay until the next call.
    func take() throws(SealedFileError) -> (numbers: ClosedRange<UInt32>, pages: PlainBuffer) {
        guard let numbers else { preconditionFailure("no pages are being read") }
        finish()
        try outcome.get()
        buffers = (next: buffers.taken, taken: buffers.next)
        return (numbers, buffers.taken)
    }

    /// Waits until no page is being read.
    func finish() {
        queue.sync {}
        numbers = nil
    }
}
