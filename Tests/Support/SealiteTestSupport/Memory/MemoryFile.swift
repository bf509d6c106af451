internal import CTestVFS

/// One connection's view of a file of a `MemoryDisk`.
final class MemoryFile: OpenFile {
    private let disk: MemoryDisk
    private let inode: MemoryDisk.Inode
    /// A nameless file vanishes with its connection: nothing of it goes to the log.
    private let isNamed: Bool
    /// The folder that the next sync makes durable too.
    private var syncsFolder: String?
    private var keepsWAL: CInt = 0

    init(disk: MemoryDisk, inode: MemoryDisk.Inode, isNamed: Bool, syncsFolder: String?) {
        self.disk = disk
        self.inode = inode
        self.isNamed = isNamed
        self.syncsFolder = syncsFolder
    }

    private var identity: ObjectIdentifier { ObjectIdentifier(self) }

    func close() throws(ResultCode) {
        disk.locked {
            inode.sharedMemory.unmap(identity)
            inode.locks.unlock(identity, SQLITE_LOCK_NONE)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ResultCode) {
        guard offset >= 0 else { throw .readFailed }
        let count = disk.locked {
            unsafe inode.bytes.withUnsafeBytes { bytes in
                let found = unsafe bytes[min(Int(offset), bytes.count)...].prefix(buffer.count)
                unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: found))
                return unsafe found.count
            }
        }
        guard count < buffer.count else { return }
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).initializeMemory(as: UInt8.self, repeating: 0)
        throw .shortRead
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ResultCode) {
        guard offset >= 0, offset <= disk.fileByteLimit - bytes.count else { throw .full }
        disk.locked {
            unsafe inode.bytes.overwrite(at: Int(offset), with: bytes)
            guard isNamed else { return }
            disk.note(.write(file: inode.number, offset: Int(offset), bytes: unsafe [UInt8](copying: bytes)))
        }
    }

    func truncate(to size: Int64) throws(ResultCode) {
        guard (0...Int64(disk.fileByteLimit)).contains(size) else { throw .truncateFailed }
        disk.locked {
            inode.bytes.resize(to: Int(size))
            if isNamed { disk.note(.truncate(file: inode.number, size: Int(size))) }
        }
    }

    func sync(_ flags: CInt) throws(ResultCode) {
        disk.locked {
            guard isNamed else { return }
            disk.note(.sync(file: inode.number))
            if let folder = syncsFolder { disk.note(.syncFolder(folder)) }
            syncsFolder = nil
        }
    }

    func size() throws(ResultCode) -> Int64 {
        disk.locked { Int64(inode.bytes.count) }
    }

    func lock(_ level: CInt) throws(ResultCode) {
        try disk.locked { () throws(ResultCode) in try inode.locks.lock(identity, level) }
    }

    func unlock(_ level: CInt) throws(ResultCode) {
        disk.locked { inode.locks.unlock(identity, level) }
    }

    func hasReservedLock() throws(ResultCode) -> Bool {
        disk.locked { inode.locks.isReserved }
    }

    func control(_ operation: CInt, _ argument: UnsafeMutableRawPointer?) throws(ResultCode) {
        let number = unsafe argument?.assumingMemoryBound(to: CInt.self)
        switch operation {
        case SQLITE_FCNTL_SIZE_HINT: break
        case SQLITE_FCNTL_HAS_MOVED: unsafe number?.pointee = 0
        case SQLITE_FCNTL_PERSIST_WAL:
            guard let number = unsafe number else { throw .misuse }
            if unsafe number.pointee < 0 { unsafe number.pointee = keepsWAL } else { keepsWAL = unsafe number.pointee }
        default: throw .notFound
        }
    }

    var sectorSize: CInt { 4096 }
    var characteristics: CInt { SQLITE_IOCAP_POWERSAFE_OVERWRITE }

    func mapSharedMemory(_ region: Int, size: Int, extends: Bool) throws(ResultCode) -> UnsafeMutableRawPointer? {
        unsafe disk.locked { unsafe inode.sharedMemory.map(identity, region, size: size, extends: extends) }
    }

    func lockSharedMemory(_ slots: Range<Int>, flags: CInt) throws(ResultCode) {
        try disk.locked { () throws(ResultCode) in try inode.sharedMemory.lock(identity, slots, flags: flags) }
    }

    func sharedMemoryBarrier() {
        disk.locked {}
    }

    func unmapSharedMemory(deletes: Bool) throws(ResultCode) {
        disk.locked { inode.sharedMemory.unmap(identity) }
    }
}
