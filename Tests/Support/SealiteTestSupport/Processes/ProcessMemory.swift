package import Glibc

/// The memory of a process, split as the kernel splits it for a core dump: what is written, and what is left out ("dd").
package struct ProcessMemory {
    package private(set) var dumped = 0
    package private(set) var leftOut = 0

    /// In how many places of a process's memory some bytes are.
    package init(of process: pid_t, searching needle: [UInt8]) {
        let descriptor = unsafe open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, case let text = Self.text("/proc/\(process)/smaps"), !text.isEmpty else {
            return
        }
        defer { close(descriptor) }
        var range: Range<UInt>?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 { range = bounds[0]..<bounds[1] }
            guard words[0] == "VmFlags:", let place = range, words.contains("rd") else { continue }
            let count = Self.count(needle, in: place, descriptor)
            if words.contains("dd") { leftOut += count } else { dumped += count }
        }
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

    /// memmem(3), which Swift's Glibc module leaves out.
    private typealias Search =
        @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeMutableRawPointer?

    private static func count(_ needle: [UInt8], in place: Range<UInt>, _ descriptor: CInt) -> Int {
        guard let symbol = unsafe dlsym(nil, "memmem") else { return 0 }
        let memmem = unsafe unsafeBitCast(symbol, to: Search.self)
        // The code and data of large libraries is read too: it is a few hundred megabytes at most.
        guard place.count < 1 << 30 else { return 0 }
        var bytes = [UInt8](repeating: 0, count: place.count)
        let got = unsafe pread(descriptor, &bytes, bytes.count, off_t(Int64(place.lowerBound)))
        guard got > needle.count else { return 0 }
        return unsafe bytes.withUnsafeBytes { buffer in
            var (count, offset) = (0, 0)
            while let base = buffer.baseAddress, offset < got,
                let hit = unsafe memmem(base + offset, got - offset, needle, needle.count)
            {
                count += 1
                offset = unsafe hit - UnsafeMutableRawPointer(mutating: base) + 1
            }
            return count
        }
    }
}
