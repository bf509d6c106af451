import Glibc
import SealiteCrypto
import Synchronization

/// Consecutive sealed pages, and the plaintext of those that the second thread has opened.
// `state` says which thread may use the memory and the numbers: the second thread those of a window that it has begun,
// the scan's thread all others; of a window that is used by both, the scan's thread only reads the images and, after it
// has seen a page's bit in `opened`, the text of that page.
@safe final class PageWindow: @unchecked Sendable {
    /// The size of a window, one read of the file: SQLite's unix VFS reads less than 128 KiB in one call.
    static let byteCount = 64 << 10

    private enum State: UInt8, AtomicRepresentable {
        /// The second thread doesn't use the window.
        case idle
        /// The second thread may begin the window.
        case offered
        /// The second thread opens pages.
        case begun
        /// The second thread is to stop.
        case claimed
        /// The second thread is to stop, and wipes the texts.
        case discarded
    }

    private let pageSize: Int
    let images: UnsafeMutableRawPointer
    private let texts: UnsafeMutableRawPointer
    private(set) var first: UInt32 = 0
    private(set) var count: UInt32 = 0
    /// The number of the page after the last one.
    var end: UInt32 { first &+ count }
    /// The number that says when the window was filled, compared with the others; of the scan's thread.
    private(set) var fillNumber: UInt64 = 0
    /// A Boolean value that says whether the scan may use the pages; of the scan's thread.
    private var isValid = false
    private let state = Atomic<State>(.idle)
    /// The pages that are opened, one bit each.
    private let opened = Atomic<UInt64>(0)
    /// A Boolean value that says whether `texts` may have plaintext; of the scan's thread.
    private var mayHaveText = false

    init(pageSize: Int) {
        assert(SealedPageSize.isValid(pageSize) && Self.byteCount / pageSize <= 64, "`opened` has a bit for each page")
        self.pageSize = pageSize
        unsafe images = .allocate(byteCount: Self.byteCount, alignment: 4096)
        unsafe texts = .allocate(byteCount: Self.byteCount, alignment: 4096)
        wipe()
    }

    deinit {
        if mayHaveText { wipe() }
        unsafe images.deallocate()
        unsafe texts.deallocate()
    }

    private func change(from old: State, to new: State) -> Bool {
        state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }

    private func wipe() { unsafe memset(texts, 0, Self.byteCount) }

    /// A Boolean value that says whether no byte of plaintext is left in an idle window.
    var isWiped: Bool { unsafe UnsafeRawBufferPointer(start: texts, count: Self.byteCount).allSatisfy { $0 == 0 } }

    // MARK: The scan's thread

    /// Returns whether the window has a page.
    func has(_ number: UInt32) -> Bool { isValid && number &- first < count }

    /// Returns one of the window's pages.
    @inline(__always)
    func page(_ number: UInt32) -> ReadAhead.Page {
        let index = number &- first
        assert(has(number))
        let isOpened = opened.load(ordering: .acquiring) & 1 << UInt64(index) != 0
        let offset = Int(index) * pageSize
        return unsafe isOpened ? .opened(texts + offset) : .sealed(images + offset)
    }

    /// Takes the window back if the second thread hasn't begun it; returns whether it doesn't use it.
    func takeBack() -> Bool {
        change(from: .offered, to: .idle) || state.load(ordering: .acquiring) == .idle
    }

    /// Keeps the second thread from opening more of the pages, which the scan has reached: both would open the same ones.
    func claim() {
        if !takeBack() { _ = change(from: .begun, to: .claimed) }
    }

    /// Forgets the pages of an idle window; its texts are overwritten or wiped later.
    func empty() {
        assert(state.load(ordering: .relaxed) == .idle)
        isValid = false
        opened.store(0, ordering: .relaxed)
    }

    /// Notes the pages that were read into an empty window.
    func hold(_ number: UInt32, _ count: UInt32, fillNumber: UInt64) {
        assert(!isValid && number > 1 && count > 0)
        (first, self.count, self.fillNumber, isValid) = (number, count, fillNumber, true)
    }

    /// Lets the second thread begin the window.
    func offer() {
        assert(isValid)
        mayHaveText = true
        state.store(.offered, ordering: .releasing)
    }

    /// Forgets the pages and wipes the texts, or lets the second thread do so if it uses them.
    func discard() {
        isValid = false
        // First, so that the second thread can't begin the window between the other changes.
        _ = takeBack()
        guard !change(from: .begun, to: .discarded), !change(from: .claimed, to: .discarded),
            state.load(ordering: .acquiring) == .idle, mayHaveText
        else { return }
        wipe()
        mayHaveText = false
    }

    /// Forgets the pages and wipes the texts in a child after fork(2), which has no second thread.
    func discardInChild() {
        isValid = false
        wipe()
    }

    // MARK: The second thread

    /// Begins a window that was offered; returns false if there is nothing to do.
    func begin() -> Bool { change(from: .offered, to: .begun) }

    /// Opens the pages, as far as the scan doesn't claim them, and gives the window back.
    ///
    /// A page that isn't authentic stays unopened: the scan's thread finds that out again and reports it.
    func open(_ codec: PageCodec) {
        for index in 0..<count {
            guard state.load(ordering: .relaxed) == .begun else { break }
            let offset = Int(index) * pageSize
            // Copies cost less than a cipher that waits for each line of another core's cache.
            unsafe memcpy(codec.scratch, images + offset, pageSize)
            let opening = SecondThreads.unlessHeld { unsafe try? codec.open(codec.scratch, number: first + index) }
            guard case .opened = opening else { break }
            unsafe memcpy(texts + offset, codec.scratch, pageSize)
            opened.bitwiseOr(1 << UInt64(index), ordering: .releasing)
        }
        unsafe memset(codec.scratch, 0, pageSize)
        giveBack()
    }

    private func giveBack() {
        if change(from: .begun, to: .idle) || change(from: .claimed, to: .idle) { return }
        wipe()
        state.store(.idle, ordering: .releasing)
    }
}
