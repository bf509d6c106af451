import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile
@testable import SealiteMaintenance

/// What a rotation leaves of the old keys: nothing.
@Suite("what a rotation leaves behind")
struct RotationRemainsTests {
    private let folder: Folder
    private var path: String { folder.file("a.db") }

    init() throws { folder = try Folder() }

    @Test(
        "no page, frame or sidecar carries the old epoch, and the old header with the old key opens nothing of the new file",
        arguments: ["WAL", "DELETE", "TRUNCATE"])
    func oldHeader(mode: String) throws {
        let oldHeader: [UInt8]
        let pageCount: UInt32
        do {
            let database = try folder.create(mode: mode, rows: 400)
            let connection = try database.connect()
            // Free pages are sealed anew as well.
            try connection.execute("CREATE TABLE gone(a); INSERT INTO gone VALUES (zeroblob(50000)); DROP TABLE gone")
            oldHeader = try BaseHandle.readHeader(path, vfs: "unix").image.bytes
            _ = try KeyRotation(of: database).run()
            pageCount = UInt32(try connection.integer("PRAGMA page_count"))
        }
        let bytes = try RawFile.read(path)
        #expect(bytes.count == HeaderLayout.regionByteCount + Int(pageCount) * 1024)
        for page in 1...Int(pageCount) {
            let trailer = HeaderLayout.regionByteCount + page * 1024 - PageTrailer.byteCount
            #expect(bytes.readUInt32(at: trailer + PageTrailer.epoch) == 2, "page \(page)")
        }
        #expect(folder.names == ["a.db"])
        // The same pages behind the old header.
        try RawFile.write(
            oldHeader + oldHeader + bytes.dropFirst(HeaderLayout.regionByteCount), to: folder.file("old.db"))
        let old = try folder.open("old.db")
        let pages = try DamagedFile(path: old.path, ring: old.ring, vfs: "unix", log: nil)
        #expect(pages.pageCount == pageCount)
        for page in 1...pageCount {
            guard case .lost = pages.pages.read(page) else {
                Issue.record("page \(page) opens under the old key")
                continue
            }
        }
        #expect(throws: SealedFileError.self) { try old.connect().integer("SELECT count(*) FROM notes") }
        // And the new one still holds it all.
        #expect(try folder.open().connect().integer("SELECT count(*) FROM notes") == 400)
    }

    /// In memory it is searched for where it isn't needed for the search: in pieces, each turned over.
    @Test("the old keys aren't in the memory of the process after a rotation", arguments: ["WAL", "DELETE"])
    func memory(mode: String) throws {
        let database = try folder.create(mode: mode, rows: 400)
        let connection = try database.connect()
        let marker = MaskedNeedle(try SecretBytes.random(byteCount: 32))
        // The control: bytes that stay, and must be found.
        let control = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 1)
        defer { unsafe control.deallocate() }
        unsafe marker.unmask(into: control)
        let master = try oldMaster(database)
        #expect(try MemorySearch.count(of: marker) >= 1)
        #expect(try MemorySearch.count(of: master) >= 1, "the search doesn't find a key that is there")
        _ = try KeyRotation(of: database).run()
        _ = try connection.integer("SELECT count(*) FROM notes")
        #expect(try MemorySearch.count(of: marker) >= 1)
        #expect(try MemorySearch.count(of: master) == 0)
    }

    private func oldMaster(_ database: SealedDatabase) throws -> MaskedNeedle {
        let master = try database.ring.masterKey()
        return MaskedNeedle(master.key)
    }
}

/// 32 bytes that aren't in memory as they are.
struct MaskedNeedle {
    private let masked: [UInt8]

    init(_ secret: borrowing SecretBytes) {
        masked = unsafe secret.withUnsafeBytes { bytes in unsafe bytes.map { $0 ^ 0xA5 } }
    }

    func unmask(into place: UnsafeMutableRawPointer) {
        for (index, byte) in masked.enumerated() {
            unsafe place.storeBytes(of: byte ^ 0xA5, toByteOffset: index, as: UInt8.self)
        }
    }

    /// Whether the needle begins here.
    func matches(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        for index in 0..<masked.count where unsafe bytes[offset + index] ^ 0xA5 != masked[index] { return false }
        return true
    }

    var firstByte: UInt8 { masked[0] ^ 0xA5 }
    var byteCount: Int { masked.count }
}

/// The whole readable memory of this process, through /proc/self/mem. https://man7.org/linux/man-pages/man5/proc.5.html
enum MemorySearch {
    /// In how many places the needle is. The buffer of the search itself is left out.
    static func count(of needle: MaskedNeedle) throws -> Int {
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw SealedFileError(errno: errno, doing: "opening", "/proc/self/mem") }
        defer { close(memory) }
        let pieceByteCount = 1 << 20
        // Beyond malloc, so that no copy of it stays behind in the heap; left out of the search.
        let raw = unsafe mmap(nil, pieceByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let raw = unsafe raw, unsafe raw != MAP_FAILED else {
            throw SealedFileError(errno: errno, doing: "mapping", "")
        }
        defer {
            unsafe memset(raw, 0, pieceByteCount)
            unsafe munmap(raw, pieceByteCount)
        }
        let own = UInt(bitPattern: raw)
        var found = 0
        for range in try mappings().flatMap({ $0.leavingOut(own..<own + UInt(pieceByteCount)) }) {
            var place = range.lowerBound
            while place < range.upperBound {
                let count = min(pieceByteCount, Int(range.upperBound - place))
                let got = unsafe pread(memory, raw, count, Int(place))
                if got > 0 { found += unsafe search(UnsafeRawBufferPointer(start: raw, count: got), needle) }
                // Overlapping, so that none is cut in two.
                place += count < pieceByteCount ? UInt(count) : UInt(count - needle.byteCount + 1)
            }
        }
        return found
    }

    private static func search(_ bytes: UnsafeRawBufferPointer, _ needle: MaskedNeedle) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        var (found, offset) = (0, 0)
        let last = bytes.count - needle.byteCount
        while offset <= last, let hit = unsafe memchr(start + offset, CInt(needle.firstByte), last - offset + 1) {
            offset = unsafe UnsafeRawPointer(hit) - start
            if unsafe needle.matches(bytes, at: offset) { found += 1 }
            offset += 1
        }
        return found
    }

    private static func mappings() throws -> [Range<UInt>] {
        let text = String(decoding: try RawFile.read("/proc/self/maps"), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-")
            guard words[1].hasPrefix("r"), !line.hasSuffix("[vvar]"), !line.hasSuffix("[vsyscall]"),
                let start = UInt(bounds[0], radix: 16), let end = UInt(bounds[1], radix: 16)
            else { return nil }
            return start..<end
        }
    }
}

extension Range<UInt> {
    fileprivate func leavingOut(_ other: Range<UInt>) -> [Range<UInt>] {
        let parts = [
            lowerBound..<Swift.max(lowerBound, Swift.min(upperBound, other.lowerBound)),
            Swift.min(upperBound, Swift.max(lowerBound, other.upperBound))..<upperBound,
        ]
        return parts.filter { !$0.isEmpty }
    }
}
