import CSQLite
import Glibc
package import SealiteCrypto
import SealiteFile

/// A folder of one test, removed with all it holds when the test lets go of it.
package final class Folder: Sendable {
    package let path: String

    package init() throws {
        var template = Array("\(Self.place)/sealite-test-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SealedFileError(errno: errno, doing: "making", "a folder") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { Self.remove(path) }

    /// The folder of test folders: a file system in memory if there is room, because the tests sync some ten thousand times.
    private static let place: String = {
        var status = statvfs()
        let isRoomy =
            unsafe statvfs("/dev/shm", &status) == 0 && access("/dev/shm", W_OK) == 0
            && Int(status.f_bavail) * Int(status.f_frsize) > 512 << 20
        return isRoomy ? "/dev/shm" : "/tmp"
    }()

    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names in the folder, sorted.
    package var names: [String] { Self.names(in: path) }

    private static func names(in path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    private static func remove(_ path: String) {
        for name in names(in: path) {
            let child = "\(path)/\(name)"
            if unsafe unlink(child) != 0 { remove(child) }
        }
        unsafe rmdir(path)
    }
}

/// Whole files, for tests that look at or change bytes on disk. Never on a database that is open in this process: the close
/// would drop SQLite's locks.
package enum RawFile {
    package static func read(_ path: String) throws -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw SealedFileError(errno: errno, doing: "reading", path) }
            if count == 0 { return bytes }
            bytes += piece[..<count]
        }
    }

    /// Writes a file anew.
    package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, at: 0, path)
        guard unsafe chmod(path, mode) == 0 else { throw SealedFileError(errno: errno, doing: "chmod", path) }
    }

    /// Overwrites a part of a file.
    package static func patch(_ path: String, at offset: Int, with bytes: [UInt8]) throws {
        let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SealedFileError(errno: errno, doing: "opening", path) }
        defer { close(descriptor) }
        try write(bytes, to: descriptor, at: offset, path)
    }

    /// Turns every bit of one byte.
    package static func flip(_ path: String, at offset: Int) throws {
        try patch(path, at: offset, with: [try read(path)[offset] ^ 0xFF])
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt, at offset: Int, _ path: String) throws {
        let count = unsafe pwrite(descriptor, bytes, bytes.count, off_t(offset))
        guard count == bytes.count else { throw SealedFileError(errno: errno, doing: "writing", path) }
    }

    package static func remove(_ path: String) throws {
        guard unsafe unlink(path) == 0 else { throw SealedFileError(errno: errno, doing: "removing", path) }
    }

    package static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    package static func byteCount(_ path: String) -> Int? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

extension SecretBytes {
    /// A secret that a test can repeat.
    package init(_ bytes: [UInt8]) { unsafe self.init(copying: bytes.span.bytes) }

    /// The bytes, for comparisons in tests.
    package var exposed: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
