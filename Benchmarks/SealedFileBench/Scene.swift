import CBench
import CSQLite
import Glibc
import SealiteCrypto
import SealiteFile

/// The folder of a run, and the databases in it.
final class Scene {
    let folder: String
    /// Keeps the keys of the sealed file that is measured.
    private(set) var handle: SealedDatabase?
    /// The raw key of every sealed file here: of use to nobody.
    let key: [UInt8] = Array(repeating: 0x5A, count: 32)
    /// Sealing over a VFS that counts.
    static let counting = VFSChoice(name: "sealite-counted", base: "bench-counter")

    init() {
        let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/var/tmp"
        folder = "\(parent)/sealite-bench-\(getpid())"
        precondition(unsafe mkdir(folder, 0o700) == 0, "cannot make \(folder)")
        precondition(unsafe bench_register_counter("bench-counter") == SQLITE_OK, "cannot register the counting VFS")
    }

    func end() {
        handle = nil
        for name in ["plain.db", "sealed.db", "key", "steps.json"] { remove(path(name)) }
        _ = unsafe rmdir(folder)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    func remove(_ path: String) { for end in ["", "-wal", "-shm", "-journal"] { unsafe unlink(path + end) } }

    /// The URI of a new, empty database.
    func freshFile(sealed: Bool) throws -> String {
        let file = path(sealed ? "sealed.db" : "plain.db")
        remove(file)
        guard sealed else { return "file:\(file)" }
        let made = try SealedDatabase.create(file, slot: .rawKey(SecretBytes(copying: key)))
        handle = made
        return made.uri
    }

    /// The sealed file, opened over the VFS that counts.
    func countedURI() throws -> String {
        let opened = try SealedDatabase.open(
            path("sealed.db"), key: .rawKey(SecretBytes(copying: key)), vfs: Self.counting)
        handle = opened
        return opened.uri
    }

    func write(_ text: String, to name: String) {
        guard let file = unsafe fopen(path(name), "w") else { preconditionFailure("cannot write \(name)") }
        unsafe fputs(text, file)
        unsafe fclose(file)
        unsafe chmod(path(name), 0o600)
    }
}

func cpuSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func wallSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func median(_ values: [Double]) -> Double { values.isEmpty ? .nan : values.sorted()[values.count / 2] }

/// A number with so many digits, right-aligned.
func column(_ value: Double?, _ digits: Int, width: Int = 8) -> String {
    guard let value, value.isFinite else { return String(repeating: " ", count: width - 1) + "-" }
    let scale = pow(10, Double(digits))
    let scaled = Int((value * scale).rounded())
    let parts = String(abs(scaled))
    let padded = String(repeating: "0", count: max(0, digits + 1 - parts.count)) + parts
    let text = (scaled < 0 ? "-" : "") + (digits == 0 ? padded : padded.dropLast(digits) + "." + padded.suffix(digits))
    return String(repeating: " ", count: max(0, width - text.count)) + text
}

func column(_ text: String, width: Int) -> String { text + String(repeating: " ", count: max(1, width - text.count)) }
