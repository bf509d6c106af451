internal import Glibc

/// A heap in memory that core dumps leave out, whose blocks are wiped when they are freed: for the key schedules and
/// intermediate values that OpenSSL keeps.
///
/// Blocks of up to 32 KiB come from arenas and go back to a free list of their size class (two classes to a power of
/// two); larger ones are mappings of their own. A block is preceded by 16 bytes that say what it is. Arenas are kept
/// for the life of the process. Safe from any thread, and across fork.
package enum ProtectedHeap {
    private static let headerByteCount = 16
    private static let arenaByteCount = 256 << 10
    /// Block sizes with their header: 32, 48, 64, 96 … 24,576, 32,768.
    private static let classCount = 21

    @unsafe
    private struct State {
        var mutex = unsafe pthread_mutex_t()
        /// The rest of the newest arena.
        var next: UnsafeMutableRawPointer?
        var left = 0
    }

    // A pointer that is never changed or freed; what it points to is read and written with its own mutex held.
    nonisolated(unsafe) private static let state: UnsafeMutablePointer<State> = {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        _ = unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        return unsafe state
    }()
    /// The first free block of each class.
    // A pointer that is never changed or freed; what it points to is read and written with `state.mutex` held.
    nonisolated(unsafe) private static let free: UnsafeMutablePointer<UnsafeMutableRawPointer?> = {
        let lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: classCount)
        unsafe lists.initialize(repeating: nil, count: classCount)
        return unsafe lists
    }()

    /// Held across a fork, so that no child is left with a heap that another thread was changing.
    static func lock() {
        // Used here for the first time, perhaps: a child must not come upon it half made.
        _ = unsafe free
        _ = unsafe pthread_mutex_lock(&state.pointee.mutex)
    }

    /// Ends `lock()`.
    static func unlock() { _ = unsafe pthread_mutex_unlock(&state.pointee.mutex) }

    /// The size of a class's blocks, header included.
    private static func blockByteCount(_ sizeClass: Int) -> Int {
        sizeClass.isMultiple(of: 2) ? 32 << (sizeClass / 2) : 48 << (sizeClass / 2)
    }

    /// Memory for that many bytes, aligned to 16; nil for no bytes, or when there is no memory.
    package static func allocate(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard byteCount > 0, byteCount <= Int.max - arenaByteCount else { return nil }
        let needed = byteCount + headerByteCount
        guard needed <= blockByteCount(classCount - 1) else { return unsafe allocateMapping(needed) }
        var sizeClass = 0
        while blockByteCount(sizeClass) < needed { sizeClass += 1 }
        lock()
        defer { unlock() }
        guard let block = unsafe free[sizeClass] ?? cutBlock(sizeClass) else { return nil }
        if unsafe block == free[sizeClass] {
            unsafe free[sizeClass] = (block + headerByteCount).load(as: UnsafeMutableRawPointer?.self)
            unsafe (block + headerByteCount).storeBytes(of: nil, as: UnsafeMutableRawPointer?.self)
        }
        unsafe block.storeBytes(of: sizeClass, as: Int.self)
        return unsafe block + headerByteCount
    }

    /// Wipes memory and takes it back; nil is nothing.
    package static func deallocate(_ pointer: UnsafeMutableRawPointer?) {
        guard let pointer = unsafe pointer else { return }
        let block = unsafe pointer - headerByteCount
        let kind = unsafe block.load(as: Int.self)
        guard kind < classCount else {
            unsafe explicit_bzero(pointer, kind - headerByteCount)
            _ = unsafe munmap(block, kind)
            return
        }
        unsafe explicit_bzero(pointer, blockByteCount(kind) - headerByteCount)
        lock()
        defer { unlock() }
        unsafe pointer.storeBytes(of: free[kind], as: UnsafeMutableRawPointer?.self)
        unsafe free[kind] = block
    }

    /// As realloc(3), but what is left behind is wiped. Nil, with the old memory untouched, when there is no memory.
    package static func reallocate(_ pointer: UnsafeMutableRawPointer?, _ byteCount: Int) -> UnsafeMutableRawPointer? {
        guard let old = unsafe pointer else { return unsafe allocate(byteCount) }
        guard byteCount > 0 else {
            unsafe deallocate(old)
            return nil
        }
        let capacity = unsafe capacity(of: old)
        if byteCount <= capacity && byteCount > capacity / 4 { return unsafe old }
        guard let new = unsafe allocate(byteCount) else { return nil }
        unsafe new.copyMemory(from: old, byteCount: min(byteCount, capacity))
        unsafe deallocate(old)
        return unsafe new
    }

    private static func capacity(of pointer: UnsafeMutableRawPointer) -> Int {
        let kind = unsafe (pointer - headerByteCount).load(as: Int.self)
        return (kind < classCount ? blockByteCount(kind) : kind) - headerByteCount
    }

    // Called with the mutex held.
    private static func cutBlock(_ sizeClass: Int) -> UnsafeMutableRawPointer? {
        let byteCount = blockByteCount(sizeClass)
        if unsafe state.pointee.left < byteCount {
            // What is left of the old arena, less than one block, is given up.
            guard let arena = unsafe map(arenaByteCount) else { return nil }
            unsafe state.pointee.next = arena
            unsafe state.pointee.left = arenaByteCount
        }
        guard let block = unsafe state.pointee.next else { return nil }
        unsafe state.pointee.next = block + byteCount
        unsafe state.pointee.left -= byteCount
        return unsafe block
    }

    private static func allocateMapping(_ needed: Int) -> UnsafeMutableRawPointer? {
        let pageSize = Int(sysconf(Int32(_SC_PAGESIZE)))
        let byteCount = (needed + pageSize - 1) / pageSize * pageSize
        guard let block = unsafe map(byteCount) else { return nil }
        unsafe block.storeBytes(of: byteCount, as: Int.self)
        return unsafe block + headerByteCount
    }

    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let protection = PROT_READ | PROT_WRITE
        guard let base = unsafe mmap(nil, byteCount, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
            unsafe base != MAP_FAILED
        else { return nil }
        guard unsafe madvise(base, byteCount, MADV_DONTDUMP) == 0 else {
            _ = unsafe munmap(base, byteCount)
            return nil
        }
        return unsafe base
    }
}
