import CSQLite
import Glibc
import SealiteCrypto
import SealiteFile
import Synchronization

/// Wall clock seconds of a body.
func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// The most memory that the process has had since the last call of `reset`, in MiB. https://man7.org/linux/man-pages/man5/proc.5.html
enum PeakMemory {
    static func reset() {
        // What earlier measurements freed and the allocator still holds isn't that of the next.
        // glibc's malloc_trim(3), which Swift's module of it lacks.
        if let symbol = unsafe dlsym(nil, "malloc_trim") {
            typealias Trim = @convention(c) (Int) -> CInt
            _ = unsafe unsafeBitCast(symbol, to: Trim.self)(0)
        }
        guard let file = unsafe fopen("/proc/self/clear_refs", "w") else { return }
        unsafe fputs("5", file)
        unsafe fclose(file)
    }

    static var mebibytes: Double {
        guard let file = unsafe fopen("/proc/self/status", "r") else { return .infinity }
        defer { unsafe fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while unsafe fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if text.hasPrefix("VmHWM:") { return Double(Int(text.filter(\.isNumber)) ?? 0) / 1024 }
        }
        return .infinity
    }
}

/// A writer that commits one small row after another, on a thread of its own, and remembers its longest wait.
final class PatientWriter: Sendable {
    private struct State {
        var isStopped = false
        var hasEnded = false
        var longest = 0.0
        var count = 0
    }
    private let state = Mutex(State())
    private let uri: String
    private let path: String

    init(_ database: SealedDatabase) {
        uri = database.uri
        path = database.path
    }

    func start() {
        var thread = pthread_t()
        let argument = unsafe Unmanaged.passRetained(self).toOpaque()
        unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<PatientWriter>.fromOpaque(argument).takeRetainedValue().write()
                return nil
            }, argument)
        pthread_detach(thread)
    }

    private func write() {
        var handle: OpaquePointer?
        unsafe sqlite3_open_v2(uri, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nil)
        // Asks again every millisecond: SQLite's own busy handler would sleep up to 100 ms, whoever holds the lock.
        unsafe sqlite3_busy_handler(
            handle,
            { _, count in
                usleep(1000)
                return count < 60_000 ? 1 : 0
            }, nil)
        defer { unsafe sqlite3_close_v2(handle) }
        while !state.withLock({ $0.isStopped }) {
            var code: CInt = 0
            let wait = seconds {
                unsafe code = sqlite3_exec(handle, "INSERT INTO w VALUES(zeroblob(100))", nil, nil, nil)
            }
            precondition(code == SQLITE_OK, "the writer failed with \(code)")
            state.withLock { state in
                state.longest = max(state.longest, wait)
                state.count += 1
            }
            usleep(2000)
        }
        state.withLock { $0.hasEnded = true }
    }

    /// The longest wait in milliseconds, and how many rows were written.
    func stop() -> (milliseconds: Double, count: Int) {
        state.withLock { $0.isStopped = true }
        while !state.withLock({ $0.hasEnded }) { usleep(1000) }
        return state.withLock { ($0.longest * 1000, $0.count) }
    }
}

/// A table of results with bounds.
struct Table {
    private(set) var isAboveBound = false

    mutating func row(_ name: String, _ value: Double, _ unit: String, atMost bound: Double? = nil, remark: String = "")
    {
        let isAbove = bound.map { value > $0 } ?? false
        isAboveBound = isAboveBound || isAbove
        let number = "\((value * 100).rounded() / 100) \(unit)"
        let limit = bound.map { "at most \(($0 * 100).rounded() / 100)" } ?? ""
        print(
            name + String(repeating: " ", count: max(1, 44 - name.count)) + number
                + String(repeating: " ", count: max(1, 16 - number.count)) + limit + (isAbove ? "  ABOVE" : "")
                + (remark.isEmpty ? "" : "  " + remark))
    }
}
