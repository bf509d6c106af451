internal import Testing
package import Glibc

/// The memory of a process that a core dump leaves out: where a secret has to be found, so that a test knows that the process
/// has it, before it takes a core to find it nowhere else.
package enum ProtectedMemory {
    /// In how many places of it some bytes are. 0 as well when the process has ended.
    package static func count(of needle: [UInt8], in process: pid_t) -> Int {
        let descriptor = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        var (count, range): (Int, Range<UInt>?) = (0, nil)
        for line in text("/proc/\(process)/smaps").split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { range = bounds[0]..<bounds[1] }
            guard words[0] == "VmFlags:", let place = range, words.contains("dd"), place.count < 1 << 30 else {
                continue
            }
            var bytes = [UInt8](repeating: 0, count: place.count)
            let got = unsafe pread(descriptor, &bytes, bytes.count, off_t(Int64(place.lowerBound)))
            guard got > 0 else { continue }
            count += unsafe bytes[..<got].withUnsafeBytes { unsafe MemoryPiece.count(needle, in: $0) }
        }
        return count
    }

    /// Waits until the process has some bytes there; false after a minute.
    package static func wait(for needle: [UInt8], in process: pid_t) -> Bool {
        // Each look reads much memory.
        eventuallyBlocking("the bytes", longestPause: .milliseconds(100)) { count(of: needle, in: process) > 0 }
    }

    /// A file of /proc, whose size nobody knows beforehand.
    private static func text(_ path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var (bytes, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 1 << 16))
        while case let count = unsafe read(descriptor, &piece, piece.count), count > 0 { bytes += piece[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A stretch of memory that something is searched in.
package enum MemoryPiece {
    /// memmem(3), which Swift's Glibc module leaves out.
    private typealias Search =
        @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeMutableRawPointer?

    /// In how many places some bytes are.
    package static func count(_ needle: [UInt8], in memory: UnsafeRawBufferPointer) -> Int {
        guard let symbol = unsafe dlsym(nil, "memmem"), let base = memory.baseAddress else { return 0 }
        let memmem = unsafe unsafeBitCast(symbol, to: Search.self)
        var (count, offset) = (0, 0)
        while offset < memory.count,
            let hit = unsafe memmem(base + offset, memory.count - offset, needle, needle.count)
        {
            count += 1
            offset = unsafe hit - UnsafeMutableRawPointer(mutating: base) + 1
        }
        return count
    }
}
