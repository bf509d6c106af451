internal import Glibc

/// A heap in memory that is excluded from core dumps, whose blocks are wiped when they are freed. It is for the key
/// schedules and intermediate values of OpenSSL.
///
/// Blocks of up to 32 KiB come from arenas and return to a free list of their size class (two classes for each power of
/// two); larger blocks are separate mappings. A header of 16 bytes before each block describes it. Arenas are kept for
/// the lifetime of the process. Safe from any thread, and across fork.
package enum ProtectedHeap {
    private static let headerByteCount = 16
    private static let arenaByteCount = 256 << 10
    /// The number of size classes, whose blocks have 32, 48, 64, 96 … 24,576, 32,768 bytes, headers included.
    private static let classCount = 21

    @unsafe
    private struct State {
        var mutex = unsafe pthread_mutex_t()
        /// The start of the unused rest of the newest arena, a mapping from which blocks are cut; nil before the first
        /// one.
        var next: UnsafeMutableRawPointer?
        var left = 0
    }

    // The pointer is never changed or freed; its memory is read and written with the state's own mutex held.
    nonisolated(unsafe) private static let state: UnsafeMutablePointer<State> = {
        let state = UnsafeMutablePointer<State>.allocate(capacity: 1)
        unsafe state.initialize(to: State())
        _ = unsafe pthread_mutex_init(&state.pointee.mutex, nil)
        return unsafe state
    }()
    /// The first free block of each size class; nil for a class without one.
    // The pointer is never changed or freed; its memory is read and written with `state.mutex` held.
    nonisolated(unsafe) private static let free: UnsafeMutablePointer<UnsafeMutableRawPointer?> = {
        let lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: classCount)
        unsafe lists.initialize(repeating: nil, count: classCount)
        return unsafe lists
    }()

    /// Locks the heap: for each change, and during a fork, so that no child inherits a heap that another thread was
    /// changing.
    static func lock() {
        // This may be the first use; a child must not inherit a half-initialized list.
        _ = unsafe free
        _ = unsafe pthread_mutex_lock(&state.pointee.mutex)
    }

    /// Unlocks the heap: after each change, and after a fork, in the parent and in the child.
    static func unlock() { _ = unsafe pthread_mutex_unlock(&state.pointee.mutex) }

    /// Returns the size of a size class's blocks in bytes, header included.
    private static func blockByteCount(_ sizeClass: Int) -> Int {
        sizeClass.isMultiple(of: 2) ? 32 << (sizeClass / 2) : 48 << (sizeClass / 2)
    }

    /// Returns memory for a number of bytes, aligned to 16; nil for zero bytes, or if there is no memory.
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

    /// Wipes and frees memory; does nothing for nil.
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

    /// Changes the size of a block as realloc(3) does, but wipes the old memory. Returns nil if there is no memory,
    /// with the old memory unchanged, and for 0 bytes, after freeing the block.
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
            // The rest of the old arena, less than one block, is abandoned.
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
