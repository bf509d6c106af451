import Foundation
import Glibc
import SealiteFile
import Testing

#if DEBUG
    /// The memory of a child, split as the kernel splits it for a core dump: what is written, and what is left out ("dd").
    private struct ChildMemory {
        var dumped = 0
        var leftOut = 0

        /// In how many places of a process's memory some bytes are.
        init(of process: pid_t, searching needle: [UInt8]) {
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

    @Suite("CoreDumpTests: what a core of the tool would hold")
    struct CoreDumpTests {
        @Test(
            "a core of 'credential set' holds neither the password nor the vault's key, nor do its arguments and environment"
        )
        func credential() throws {
            let place = try Workplace()
            let environment = [
                "HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config"),
                "SEALITE_ALLOW_CORE_DUMPS": "1",
            ]
            let set = [Tool.path, "credential", "set", "h", "--vault-key-file", "key", "--store-timeout", "600"]
            #expect(try place.run(set + ["--user", "first"], input: "x", environment: environment).status == 0)
            let password = "needle-\(UUID().uuidString)"
            let control = "control-\(UUID().uuidString)"
            try place.write(password, to: "password")
            // The tool has read everything and waits for the vault.
            let holder = try place.open("data/sealite/vault.db").connect()
            try holder.execute("BEGIN IMMEDIATE")
            let child = try ChildProcess(
                set + ["--user", "ana", "--label", control, "--password-file", "password"], folder: place.path,
                environment: environment,
                files: [(0, "/dev/null", O_RDONLY), (1, "/dev/null", O_WRONLY), (2, "/dev/null", O_WRONLY)])
            var found = ChildMemory(of: child.id, searching: Array(password.utf8))
            for _ in 0..<600 where found.leftOut == 0 {
                usleep(100_000)
                found = ChildMemory(of: child.id, searching: Array(password.utf8))
            }
            #expect(found.leftOut > 0, "the tool never had the password")
            #expect(found.dumped == 0)
            #expect(ChildMemory(of: child.id, searching: Array(control.utf8)).dumped > 0)
            #expect(ChildMemory(of: child.id, searching: Workplace.key).dumped == 0)
            for name in ["cmdline", "environ"] {
                let text = String(
                    decoding: try Data(contentsOf: URL(filePath: "/proc/\(child.id)/\(name)")), as: UTF8.self)
                #expect(!text.isEmpty && !text.contains(password))
            }
            try holder.execute("COMMIT")
            #expect(child.wait() == 0)
        }
    }
#endif
