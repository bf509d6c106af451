import Glibc
import SealiteCrypto

/// A mapping of this process, from /proc/self/smaps.
struct Mapping {
    let start: UInt
    let end: UInt
    let permissions: String
    /// Two letters each, as proc(5) explains them: `dd` is left out of core dumps, `lo` is locked.
    var flags: Set<String> = []

    func contains(_ address: UInt) -> Bool { start <= address && address < end }

    /// The mappings as they are now.
    static func all() -> [Mapping] {
        var mappings: [Mapping] = []
        for line in readFile("/proc/self/smaps").split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-")
            if bounds.count == 2, let start = UInt(bounds[0], radix: 16), let end = UInt(bounds[1], radix: 16) {
                mappings.append(Mapping(start: start, end: end, permissions: String(words[1])))
            } else if words[0] == "VmFlags:", !mappings.isEmpty {
                mappings[mappings.count - 1].flags = Set(words.dropFirst().map(String.init))
            }
        }
        return mappings
    }

    /// In how many places of the memory that a core dump would hold the secret's bytes are.
    static func dumpedCopies(of secret: borrowing SecretBytes) -> Int {
        guard let find = unsafe search else { return .max }
        var copies = 0
        for mapping in all() where mapping.permissions.hasPrefix("rw") && !mapping.flags.contains("dd") {
            var next = unsafe UnsafeRawPointer(bitPattern: mapping.start)
            while let start = unsafe next {
                let left = Int(mapping.end - UInt(bitPattern: start))
                let hit = unsafe secret.withUnsafeBytes { needle in
                    unsafe needle.baseAddress.flatMap { unsafe find(start, left, $0, needle.count) }
                }
                if unsafe hit != nil { copies += 1 }
                unsafe next = hit.map { unsafe UnsafeRawPointer($0 + 1) }
            }
        }
        return copies
    }

    /// memmem(3), which Swift's Glibc module leaves out.
    private static var search: Search? {
        unsafe dlsym(nil, "memmem").map { unsafe unsafeBitCast($0, to: Search.self) }
    }
    private typealias Search =
        @convention(c) (UnsafeRawPointer, Int, UnsafeRawPointer, Int) -> UnsafeMutableRawPointer?

    private static func readFile(_ path: String) -> String {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe read(file, &piece, piece.count)
            guard count > 0 else { return String(decoding: content, as: UTF8.self) }
            content += piece[..<count]
        }
    }
}

/// fork(2), which Swift hides: the child must do little and end with `_exit`.
func forkProcess() -> pid_t? {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = unsafe dlsym(nil, "fork") else { return nil }
    return unsafe unsafeBitCast(symbol, to: Fork.self)()
}

/// Ends this process, a forked child, where it is still here after so many seconds: a child that hangs fails its test, and doesn't
/// hang it. Whoever is forked from a thread of libdispatch's has every signal blocked, that of the alarm too.
func endStuckProcess(after seconds: UInt32) {
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, nil)
    alarm(seconds)
}
