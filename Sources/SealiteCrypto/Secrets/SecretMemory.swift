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
