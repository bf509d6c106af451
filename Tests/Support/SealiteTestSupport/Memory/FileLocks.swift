internal import CTestVFS

/// SQLite's five-level lock of one file, held by its connections.
struct FileLocks {
    private var sharers: Set<ObjectIdentifier> = []
    private var reserved: ObjectIdentifier?
    private var pending: ObjectIdentifier?
    private var exclusive: ObjectIdentifier?

    var isReserved: Bool { reserved != nil || pending != nil }

    /// Raises `owner` to `level`; an attempt at EXCLUSIVE that fails leaves PENDING, so that readers run out.
    mutating func lock(_ owner: ObjectIdentifier, _ level: CInt) throws(ResultCode) {
        switch level {
        case SQLITE_LOCK_SHARED:
            guard pending == nil || pending == owner else { throw .busy }
            sharers.insert(owner)
        case SQLITE_LOCK_RESERVED:
            guard reserved == nil || reserved == owner else { throw .busy }
            reserved = owner
        default:
            guard pending == nil || pending == owner else { throw .busy }
            pending = owner
            guard sharers.subtracting([owner]).isEmpty else { throw .busy }
            exclusive = owner
        }
    }

    /// Lowers `owner` to SHARED or to nothing.
    mutating func unlock(_ owner: ObjectIdentifier, _ level: CInt) {
        if reserved == owner { reserved = nil }
        if pending == owner { pending = nil }
        if exclusive == owner { exclusive = nil }
        if level == SQLITE_LOCK_NONE { sharers.remove(owner) }
    }
}

/// The shared memory of a database in WAL mode: regions, and eight locks on them.
///
/// The regions live until the last connection lets go, as a power loss or the unix VFS's first opener would have it.
@safe
struct SharedMemory {
    private var regions: [UnsafeMutableRawPointer] = unsafe []
    private var users: Set<ObjectIdentifier> = []
    private var shared: [Set<ObjectIdentifier>] = Array(repeating: [], count: Int(SQLITE_SHM_NLOCK))
    private var exclusive: [ObjectIdentifier?] = Array(repeating: nil, count: Int(SQLITE_SHM_NLOCK))

    mutating func map(
        _ user: ObjectIdentifier, _ region: Int, size: Int, extends: Bool
    ) -> UnsafeMutableRawPointer? {
        users.insert(user)
        while extends, unsafe regions.count <= region {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
            unsafe regions.append(memory)
        }
        return unsafe region < regions.count ? regions[region] : nil
    }

    mutating func lock(_ user: ObjectIdentifier, _ slots: Range<Int>, flags: CInt) throws(ResultCode) {
        if flags & SQLITE_SHM_UNLOCK != 0 {
            for slot in slots { release(slot, user) }
            return
        }
        let wantsAll = flags & SQLITE_SHM_EXCLUSIVE != 0
        for slot in slots {
            let isTaken = exclusive[slot] != nil && exclusive[slot] != user
            guard !isTaken, !wantsAll || shared[slot].subtracting([user]).isEmpty else { throw .busy }
        }
        for slot in slots {
            if wantsAll { exclusive[slot] = user } else { shared[slot].insert(user) }
        }
    }

    mutating func unmap(_ user: ObjectIdentifier) {
        for slot in shared.indices { release(slot, user) }
        guard users.remove(user) != nil, users.isEmpty else { return }
        while let region = unsafe regions.popLast() { unsafe region.deallocate() }
    }

    private mutating func release(_ slot: Int, _ user: ObjectIdentifier) {
        shared[slot].remove(user)
        if exclusive[slot] == user { exclusive[slot] = nil }
    }
}
