internal import Glibc

/// The shared pages of small secrets, divided into cells of three sizes; free cells are linked through their first
/// bytes.
@safe
// Sendable: the lists are read and written with `mutex` held.
final class SecretPool: @unchecked Sendable {
    /// The lists of free cells of one size: cells in locked memory, which are used first, and cells in memory that the
    /// system refused to lock.
    @unsafe
    private struct FreeLists {
        var locked: UnsafeMutableRawPointer?
        var unlocked: UnsafeMutableRawPointer?
    }

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var lists: [FreeLists]

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        _ = unsafe pthread_mutex_init(mutex, nil)
        unsafe lists = Array(repeating: FreeLists(), count: SecretMemory.sizeClassCount)
    }

    // The pool exists for the lifetime of the process; there is no deinit.

    /// Locks the pool: for each change, and during a fork, so that no child inherits a mutex that another thread held.
    func lock() { _ = unsafe pthread_mutex_lock(mutex) }

    /// Unlocks the pool: after each change, and after a fork, in the parent and in the child.
    func unlock() { _ = unsafe pthread_mutex_unlock(mutex) }

    /// Returns a zeroed piece of memory (a cell) of a size class: 0, 1 and 2 are 64, 256 and 1024 bytes.
    func allocate(_ sizeClass: Int) -> SecretMemory.Cell {
        lock()
        defer { unlock() }
        if unsafe lists[sizeClass].locked == nil && lists[sizeClass].unlocked == nil {
            addPage(sizeClass)
        }
        if let cell = unsafe lists[sizeClass].locked {
            unsafe lists[sizeClass].locked = unlink(cell)
            return unsafe SecretMemory.Cell(base: cell, origin: .shared(sizeClass), isLocked: true)
        }
        if let cell = unsafe lists[sizeClass].unlocked {
            unsafe lists[sizeClass].unlocked = unlink(cell)
            return unsafe SecretMemory.Cell(base: cell, origin: .shared(sizeClass), isLocked: false)
        }
        return unsafe SecretMemory.heapCell(byteCount: SecretMemory.cellByteCount(sizeClass))
    }

    /// Makes a cell available again; its owner has wiped its bytes.
    func free(_ cell: SecretMemory.Cell, _ sizeClass: Int) {
        lock()
        defer { unlock() }
        if unsafe cell.isLocked {
            unsafe link(cell.base, into: &lists[sizeClass].locked)
        } else {
            unsafe link(cell.base, into: &lists[sizeClass].unlocked)
        }
    }

    private func addPage(_ sizeClass: Int) {
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard let (base, isLocked) = unsafe SecretMemory.map(byteCount: pageSize) else { return }
        let cellSize = SecretMemory.cellByteCount(sizeClass)
        for offset in stride(from: pageSize - cellSize, through: 0, by: -cellSize) {
            if isLocked {
                unsafe link(base + offset, into: &lists[sizeClass].locked)
            } else {
                unsafe link(base + offset, into: &lists[sizeClass].unlocked)
            }
        }
    }

    private func link(_ cell: UnsafeMutableRawPointer, into list: inout UnsafeMutableRawPointer?) {
        unsafe cell.storeBytes(of: list, as: UnsafeMutableRawPointer?.self)
        unsafe list = cell
    }

    private func unlink(_ cell: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        let next = unsafe cell.load(as: UnsafeMutableRawPointer?.self)
        unsafe cell.storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
        return unsafe next
    }
}
