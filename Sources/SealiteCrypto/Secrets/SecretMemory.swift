internal import COpenSSL
internal import Glibc

/// The memory of ``SecretBytes``.
///
/// The limit on locked memory is often 64 KiB, so small secrets share pages: a secret has a cell of 64, 256 or 1024
/// bytes in a page that is mapped, locked and excluded from core dumps as a whole. Each larger secret has a separate
/// mapping. Pages of cells are kept for the lifetime of the process.
enum SecretMemory {
    /// A piece of memory with one owner.
    @unsafe
    struct Cell {
        enum Origin {
            /// A cell of a shared page, with its size class.
            case shared(Int)
            /// A separate mapping, with its number of bytes.
            case mapping(Int)
            /// The ordinary heap, used if mmap fails.
            case heap
        }

        let base: UnsafeMutableRawPointer
        let origin: Origin
        let isLocked: Bool
    }

    /// The number of size classes: 64, 256 and 1024 bytes.
    static let sizeClassCount = 3

    static func cellByteCount(_ sizeClass: Int) -> Int { 64 << (2 * sizeClass) }

    /// Returns zeroed memory for `byteCount` bytes. It can only fail, and then ends the process, if the ordinary heap
    /// has no memory either.
    static func allocate(byteCount: Int) -> Cell {
        if let sizeClass = (0..<sizeClassCount).first(where: { byteCount <= cellByteCount($0) }) {
            return unsafe pool.allocate(sizeClass)
        }
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let mappedCount = (byteCount + pageSize - 1) / pageSize * pageSize
        if let (base, isLocked) = unsafe map(byteCount: mappedCount) {
            return unsafe Cell(base: base, origin: .mapping(mappedCount), isLocked: isLocked)
        }
        return unsafe heapCell(byteCount: byteCount)
    }

    /// Frees memory that its owner has wiped.
    static func free(_ cell: Cell) {
        switch unsafe cell.origin {
        case .shared(let sizeClass): unsafe pool.free(cell, sizeClass)
        case .mapping(let byteCount): unsafe munmap(cell.base, byteCount)
        case .heap: unsafe cell.base.deallocate()
        }
    }

    /// Returns a zeroed mapping that is excluded from core dumps, and whether it is locked; nil if there is no memory.
    static func map(byteCount: Int) -> (base: UnsafeMutableRawPointer, isLocked: Bool)? {
        let protection = PROT_READ | PROT_WRITE
        guard let base = unsafe mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe base != MAP_FAILED
        else { return nil }
        // Otherwise the bytes would be in a core dump. A kernel that refuses the call (before 3.4) isn't supported; the
        // process continues nevertheless, because the alternative is an outage.
        _ = unsafe madvise(base, byteCount, MADV_DONTDUMP)
        return unsafe (base, mlock(base, byteCount) == 0)
    }

    static func heapCell(byteCount: Int) -> Cell {
        let base = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        unsafe base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        return unsafe Cell(base: base, origin: .heap, isLocked: false)
    }

    static let pool = SecretPool()
}

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

/// Controls the core dumps of this process.
package enum CoreDumps {
    /// Forbids core dumps permanently, and with them ptrace(2) by other processes of the same user. For programs, such
    /// as the command line, not for libraries. Afterwards /proc/self belongs to root.
    package static func forbid() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = sealite_forbid_dumps()
    }
}
