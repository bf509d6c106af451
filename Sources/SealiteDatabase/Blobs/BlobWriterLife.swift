internal import Glibc
internal import SealiteCrypto
internal import Synchronization

/// The life of one writer of a blob, as other processes and later ones can check it (Documentation/DocumentFormat.md
/// §3, "local_values").
///
/// A process that is killed leaves the chunks that it wrote in earlier transactions. The text of the writer's life,
/// stored with the first of them, identifies the process; within this process the object's own lifetime decides.
final class BlobWriterLife: Sendable {
    /// The boot of the system, the namespace of process ids, the process id and the process's start time, and the
    /// writer's random token: five words.
    let text: String
    private let token: String
    private static let tokens = Mutex<Set<String>>([])

    /// Creates the life of a new writer; nil if the system doesn't say enough to identify this process.
    init?() throws {
        guard let process = Self.thisProcess else { return nil }
        token = Hexadecimal.text(of: try SecureRandom.bytes(8))
        text = process.text + " " + token
        let isNew = Self.tokens.withLock { [token] in $0.insert(token).inserted }
        assert(isNew, "each writer has a token of its own")
    }

    deinit {
        let known = Self.tokens.withLock { $0.remove(token) }
        assert(known != nil, "a writer ends once")
    }

    /// Returns whether a writer has certainly ended: its process has ended, or its object in this process no longer
    /// exists. False if that can't be known, for example for a process in another container.
    static func hasEnded(_ text: String) -> Bool {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 5, let number = pid_t(words[2]), number > 0, let this = thisProcess else { return false }
        // A write-ahead log is shared by processes under one kernel only, so a writer of another boot has ended.
        guard words[0] == this.boot else { return true }
        guard words[1] == this.namespace else { return false }
        if number == this.number, words[3] == this.start { return !tokens.withLock { $0.contains(words[4]) } }
        if kill(number, 0) != 0 { return errno == ESRCH }
        guard let found = ProcessStatus(number) else { return false }
        return found.start != words[3] || found.isZombie
    }

    private static let known = Mutex<ThisProcess?>(nil)

    /// The identity of this process, which another one has after fork(2); nil if it is unknown.
    private static var thisProcess: ThisProcess? {
        known.withLock { known in
            if let known, known.number == getpid() { return known }
            known = ThisProcess()
            return known
        }
    }

    /// The identity of this process.
    private struct ThisProcess {
        let boot: String
        let namespace: String
        let number: pid_t
        let start: String

        var text: String { "\(boot) \(namespace) \(number) \(start)" }

        init?() {
            number = getpid()
            guard let boot = Self.word(ProcessStatus.content("/proc/sys/kernel/random/boot_id")),
                let namespace = Self.word(Self.link("/proc/self/ns/pid")), let status = ProcessStatus(number)
            else { return nil }
            (self.boot, self.namespace, start) = (boot, namespace, status.start)
        }

        private static func word(_ text: String?) -> String? {
            let words = text?.split(whereSeparator: \.isWhitespace) ?? []
            return words.count == 1 ? words.first.map(String.init) : nil
        }

        private static func link(_ path: String) -> String? {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let start = bytes.baseAddress else { return 0 }
                return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), bytes.count)
            }
            return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
        }
    }
}

/// The status of a process, as far as it identifies the process. <https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html>
private struct ProcessStatus {
    /// The time at which the process started, in ticks since the boot of the system.
    let start: String
    /// A Boolean value that says whether the process has ended and only waits for its parent to notice.
    let isZombie: Bool

    /// Reads the status of the process with a number; nil if there is none that may be seen.
    init?(_ number: pid_t) {
        // The name of the program, in parentheses, may have any characters.
        guard let text = Self.content("/proc/\(number)/stat"), let end = text.lastIndex(of: ")") else { return nil }
        let words = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard words.count > 19 else { return nil }
        start = String(words[19])
        isZombie = words[0] == "Z" || words[0] == "X"
    }

    static func content(_ path: String) -> String? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
    }
}
