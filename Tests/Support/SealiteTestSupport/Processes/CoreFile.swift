internal import Foundation
package import Glibc

/// A core of a running process, taken as a person would: with gcore(1).
package struct CoreFile {
    private let bytes: Data

    /// The environment in which a process allows core dumps and keeps them small: with one heap instead of one per
    /// thread, whose whole address space gcore would write.
    package static let environment = ["SEALITE_ALLOW_CORE_DUMPS": "1", "MALLOC_ARENA_MAX": "1"]

    /// Takes the core of a process, which goes on afterwards. Other processes of this one's user must be let trace it
    /// (`kernel.yama.ptrace_scope` 0, as Debian has it).
    ///
    /// - Parameters:
    ///   - process: its id.
    ///   - folder: where the core lies for a moment.
    /// - Throws: `ChildProcess.Failure` with gcore's words.
    package init(of process: pid_t, in folder: String) throws {
        let (prefix, path) = ("\(folder)/core", "\(folder)/core.\(process)")
        let outcome = try ChildProcess.run("/usr/bin/gcore", ["-o", prefix, "\(process)"])
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard outcome.status == 0, let bytes = try? Data(contentsOf: URL(filePath: path)) else {
            throw ChildProcess.Failure(description: "no core of \(process): \(outcome.output)")
        }
        self.bytes = bytes
    }

    /// In how many places the core has some bytes.
    package func count(of needle: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe MemoryPiece.count(needle, in: $0) }
    }

    /// In how many places the core has a text.
    package func count(of needle: String) -> Int { count(of: Array(needle.utf8)) }
}
