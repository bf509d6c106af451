import CSQLite
import Glibc
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteTestSupport

/// A temporary file against a list of bytes: any size and any offset, in any order.
@Suite("temporary files")
struct TemporaryFileTests {
    /// One file of the sealing VFS, without a name, as SQLite opens one.
    @safe private final class Opened {
        private let memory: UnsafeMutableRawPointer
        private var file: UnsafeMutablePointer<sqlite3_file> {
            unsafe memory.assumingMemoryBound(to: sqlite3_file.self)
        }

        init(vfs name: String) throws {
            guard let vfs = unsafe sqlite3_vfs_find(name) else { throw VFSFailure(SQLITE_ERROR) }
            unsafe memory = .allocate(byteCount: Int(vfs.pointee.szOsFile), alignment: 16)
            unsafe memset(memory, 0, Int(vfs.pointee.szOsFile))
            let flags =
                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE
                | SQLITE_OPEN_TEMP_JOURNAL
            #expect(unsafe vfs.pointee.xOpen(vfs, nil, file, flags, nil) == SQLITE_OK)
        }

        deinit {
            _ = unsafe file.pointee.pMethods.pointee.xClose(file)
            unsafe memory.deallocate()
        }

        func write(_ bytes: [UInt8], at offset: Int) -> CInt {
            unsafe file.pointee.pMethods.pointee.xWrite(file, bytes, CInt(bytes.count), sqlite3_int64(offset))
        }

        func read(_ count: Int, at offset: Int) -> (code: CInt, bytes: [UInt8]) {
            var bytes = [UInt8](repeating: 0xEE, count: count)
            let code = unsafe file.pointee.pMethods.pointee.xRead(file, &bytes, CInt(count), sqlite3_int64(offset))
            return (code, bytes)
        }

        func truncate(to size: Int) -> CInt {
            unsafe file.pointee.pMethods.pointee.xTruncate(file, sqlite3_int64(size))
        }
    }

    @Test("hold what was written last, and zeros between, whatever the order and the sizes", arguments: 0..<12)
    func model(round: Int) throws {
        let disk = try MortalDisk()
        try disk.choice.register()
        let file = try Opened(vfs: disk.choice.name)
        var model: [UInt8] = []
        var chance = SeededRandom(part: UInt64(round))
        let limit = [3000, 9000, 60_000][round % 3]
        for step in 0..<600 {
            let offset = Int.random(in: 0..<limit, using: &chance)
            let count = [1, 4, 17, 2048, 4096, 4100, 9000].randomElement(using: &chance) ?? 1
            switch Int.random(in: 0..<20, using: &chance) {
            case 0..<6:
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: step + 1), count: count)
                let place = step % 3 == 0 ? model.count : offset
                #expect(file.write(bytes, at: place) == SQLITE_OK)
                model += [UInt8](repeating: 0, count: max(0, place + count - model.count))
                model.replaceSubrange(place..<place + count, with: bytes)
            case 6:
                #expect(file.truncate(to: offset) == SQLITE_OK)
                model.removeLast(max(0, model.count - offset))
            default:
                let (code, bytes) = file.read(count, at: offset)
                let there = model.dropFirst(offset).prefix(count)
                #expect(code == (there.count == count ? SQLITE_OK : SQLITE_IOERR_SHORT_READ))
                let expected = Array(there) + [UInt8](repeating: 0, count: count - there.count)
                #expect(bytes == expected, "round \(round), step \(step)")
            }
        }
    }

    @Test("a statement journal, written in order and begun anew, is never read for it")
    func inOrder() throws {
        let disk = try MortalDisk()
        try disk.choice.register()
        let file = try Opened(vfs: disk.choice.name)
        let operations = try disk.record {
            for turn in 0..<3 {
                var offset = 0
                for number in 0..<50 {
                    #expect(file.write([UInt8](repeating: UInt8(turn), count: 4), at: offset) == SQLITE_OK)
                    #expect(file.write([UInt8](repeating: UInt8(number), count: 4096), at: offset + 4) == SQLITE_OK)
                    offset += 4100
                }
            }
        }
        let reads = operations.count { $0.kind == .read }
        // The unit in which one turn ends and that of the turn before goes on.
        #expect(reads <= 2, "\(reads) reads")
        #expect(file.read(4, at: 4100 * 49).bytes == [2, 2, 2, 2] && file.read(1, at: 4104).bytes == [1])
    }

    /// The descriptor of this process's file of a size that has no name any more.
    private func unlinkedFile(ofSize size: Int) -> CInt? {
        (0..<CInt(1024)).first { descriptor in
            var status = stat()
            return unsafe fstat(descriptor, &status) == 0 && status.st_nlink == 0 && status.st_size == size
        }
    }

    @Test("zeros in the place of a unit that was written are an alteration, and skipped units read as zeros")
    func zeroedUnit() throws {
        try VFSChoice.standard.register()
        let file = try Opened(vfs: VFSChoice.standard.name)
        let unit = [UInt8](repeating: 7, count: 4096)
        for number in 0..<97 where number != 40 { #expect(file.write(unit, at: 4096 * number) == SQLITE_OK) }
        // Reading writes out the unit that is held.
        #expect(file.read(1, at: 0).bytes == [7])
        #expect(file.read(4096, at: 4096 * 40).bytes == [UInt8](repeating: 0, count: 4096))
        let descriptor = try #require(unlinkedFile(ofSize: 97 * 4144))
        for place in [20 * 4144 + 4096, 30 * 4144] {
            let zeros = [UInt8](repeating: 0, count: place % 4144 == 0 ? 4144 : 48)
            #expect(unsafe pwrite(descriptor, zeros, zeros.count, off_t(place)) == zeros.count)
        }
        for number in [20, 30] { #expect(file.read(1, at: 4096 * number).code == SQLITE_IOERR_DATA) }
        #expect(file.read(1, at: 4096 * 40).bytes == [0] && file.read(1, at: 4096 * 21).bytes == [7])
    }
}
