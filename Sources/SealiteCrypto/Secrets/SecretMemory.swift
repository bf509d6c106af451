internal import Glibc

/// The memory under ``SecretBytes``.
///
/// The limit on locked memory is often 64 KiB, so small secrets share pages: a cell of 64, 256 or 1024 bytes in a page
/// that is mapped, locked and excluded from core dumps as a whole. Larger secrets have a mapping each. Pages of cells
/// are kept for the life of the process.
enum SecretMemory {
    /// A piece of memory with one owner.
    @unsafe
    struct Cell {
        enum Origin {
            /// A cell of a shared page, of this size class.
            case shared(Int)
            /// A mapping of its own, of this many bytes.
            case mapping(Int)
            /// The ordinary heap, because mmap failed.
            case heap
        }

        let base: UnsafeMutableRawPointer
        let origin: Origin
        let isLocked: Bool
    }

    /// The size classes: 64, 256 and 1024 bytes.
    static let sizeClassCount = 3

    static func cellByteCount(_ sizeClass: Int) -> Int { 64 << (2 * sizeClass) }

    /// Zeroed memory for `byteCount` bytes. Never fails where the Swift heap would not.
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

    /// Takes back memory that its owner has wiped.
    static func free(_ cell: Cell) {
        switch unsafe cell.origin {
        case .shared(let sizeClass): unsafe pool.free(cell, sizeClass)
        case .mapping(let byteCount): unsafe munmap(cell.base, byteCount)
        case .heap: unsafe cell.base.deallocate()
        }
    }

    /// A zeroed mapping that core dumps leave out, and whether it is locked; nil when there is no memory.
    static func map(byteCount: Int) -> (base: UnsafeMutableRawPointer, isLocked: Bool)? {
        let protection = PROT_READ | PROT_WRITE
        guard let base = unsafe mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe base != MAP_FAILED
        else { return nil }
        // Without it the bytes would be in a core dump: a kernel that refuses it (before 3.4) is not supported, and the
        // process goes on, because the alternative is an outage.
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
