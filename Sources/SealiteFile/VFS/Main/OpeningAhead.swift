import CSQLite
import Glibc
import SealiteCrypto
import Synchronization

/// Opens (decrypts and authenticates) the next pages of a scan on a second thread, while the scan's own thread works
/// through the pages before them.
///
/// The scan's thread reads the file, and never waits: a page that isn't opened when it is needed, it opens itself, and a
/// window that the second thread still uses isn't filled again. So a machine that is busy, or a process after fork(2),
/// which has no second thread, loses nothing else. The second thread begins with the first window, and ends when there
/// was nothing to do for a while. Its plaintext is wiped when the scan's thread forgets what it read.
// `newestIndex`, `fillCount` and `lacksThread` belong to the scan's thread; all others are constants and atomics.
@safe package final class OpeningAhead: @unchecked Sendable {
    /// The windows in the order, and cyclically, in which they are filled and opened: enough of them that the second
    /// thread has something to do while it is woken.
    private let windows: [PageWindow]
    /// The index of the window that was filled last.
    private var newestIndex = 0
    private var fillCount: UInt64 = 0
    /// A Boolean value that says whether the system refused a thread since the pages were forgotten last.
    private var lacksThread = false
    private let wake: Wake
    /// The address of the second thread's codec, which is retained for it; 0 without a second thread.
    private let codec = Atomic<UInt>(0)
    /// The process that made the object, by ``ForkGeneration``.
    private let generation = ForkGeneration.current
    private let isRunning = Atomic<Bool>(false)
    private let isClosed = Atomic<Bool>(false)

    private static let windowCount = 4

    /// Creates an object for pages of a size; nil if the system has one core only, or no room for a semaphore.
    init?(pageSize: Int) {
        guard sysconf(CInt(_SC_NPROCESSORS_ONLN)) > 1, let wake = Wake() else { return nil }
        self.wake = wake
        windows = (0..<Self.windowCount).map { _ in PageWindow(pageSize: pageSize) }
    }

    // MARK: The scan's thread

    /// Returns the window that has a page.
    func window(with number: UInt32) -> PageWindow? { windows.first { $0.has(number) } }

    /// The window that was filled last, if any.
    var newest: PageWindow { windows[newestIndex] }

    /// Returns the next window to fill; nil if the second thread uses it, or if it was filled after the current window.
    func nextWindow(after current: PageWindow?) -> PageWindow? {
        let window = windows[(newestIndex + 1) % Self.windowCount]
        if let current, window.fillNumber >= current.fillNumber { return nil }
        return window.takeBack() ? window : nil
    }

    /// Notes the pages that were read into the next window.
    func filled(_ window: PageWindow, _ number: UInt32, _ count: UInt32) {
        newestIndex = (newestIndex + 1) % Self.windowCount
        assert(windows[newestIndex] === window, "the windows are filled in their order")
        fillCount &+= 1
        window.hold(number, count, fillNumber: fillCount)
    }

    /// Has the pages of a window opened.
    func submit(_ window: PageWindow, ring: KeyRing) {
        guard !lacksThread else { return }
        window.offer()
        if !isRunning.exchange(true, ordering: .acquiringAndReleasing), !start(ring) {
            isRunning.store(false, ordering: .releasing)
            lacksThread = true
        }
        wake.post()
    }

    /// Forgets all pages and wipes their plaintext.
    func discard() {
        lacksThread = false
        for window in windows { window.discard() }
    }

    /// Forgets all pages and ends the second thread, without waiting for it.
    func close() {
        guard generation == ForkGeneration.current else { return closeInChild() }
        discard()
        isClosed.store(true, ordering: .releasing)
        wake.post()
    }

    /// Wipes what a process after fork(2) has inherited, on behalf of the second thread, which it hasn't.
    private func closeInChild() {
        for window in windows { window.discardInChild() }
        releaseCodec()
    }

    private func releaseCodec() {
        let address = codec.exchange(0, ordering: .acquiringAndReleasing)
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
        unsafe Unmanaged<PageCodec>.fromOpaque(pointer).release()
    }

    // MARK: The second thread

    /// A Boolean value that says whether there is a second thread.
    var hasThread: Bool { isRunning.load(ordering: .acquiring) }

    /// Starts the second thread, on which no signal is handled; returns false if the system has no room for it.
    private func start(_ ring: KeyRing) -> Bool {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let made = unsafe Unmanaged.passRetained(PageCodec(ring: ring, use: .main))
        codec.store(unsafe UInt(bitPattern: made.toOpaque()), ordering: .releasing)
        let retained = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<OpeningAhead>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, retained.toOpaque())
        guard code == 0 else {
            unsafe retained.release()
            releaseCodec()
            return false
        }
        return true
    }

    private func run() {
        defer { isRunning.store(false, ordering: .releasing) }
        guard let pointer = unsafe UnsafeRawPointer(bitPattern: codec.load(ordering: .acquiring)) else { return }
        let codec = unsafe Unmanaged<PageCodec>.fromOpaque(pointer)
        // The first window that is filled is the scan's, and the next one is offered.
        var index = 2
        repeat {
            for _ in windows {
                if windows[index].begin() { unsafe windows[index].open(codec.takeUnretainedValue()) }
                index = (index + 1) % windows.count
            }
        } while wake.wait() && !isClosed.load(ordering: .acquiring)
        // A fork ends soon, and after the exit there is no thread.
        while SecondThreads.unlessHeld(endUse) == nil { usleep(1_000) }
    }

    /// Releases what OpenSSL and the locks of the keys are needed for.
    private func endUse() -> Void? {
        releaseCodec()
        SecondThreads.freeThreadState()
        return ()
    }
}

/// A semaphore that wakes the second thread.
// Sendable: a semaphore may be used by all threads, and its memory is freed with the object.
@safe private final class Wake: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>
    /// The time without work after which the second thread ends, in nanoseconds.
    private static let patience = 200_000_000

    init?() {
        unsafe semaphore = .allocate(capacity: 1)
        guard unsafe sem_init(semaphore, 0, 0) == 0 else {
            unsafe semaphore.deallocate()
            return nil
        }
    }

    deinit {
        unsafe sem_destroy(semaphore)
        unsafe semaphore.deallocate()
    }

    func post() { unsafe sem_post(semaphore) }

    /// Waits for a post; returns false if none came for a while, which a change of the clock makes longer or shorter.
    func wait() -> Bool {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        let nanoseconds = time.tv_nsec + Self.patience
        time = timespec(tv_sec: time.tv_sec + nanoseconds / 1_000_000_000, tv_nsec: nanoseconds % 1_000_000_000)
        while unsafe sem_timedwait(semaphore, &time) != 0 {
            guard errno == EINTR else { return false }
        }
        return true
    }
}
