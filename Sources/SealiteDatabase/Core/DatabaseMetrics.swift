internal import CoreMetrics
internal import Glibc
internal import Synchronization

/// The measures of one open database, reported through swift-metrics. Thread-safe.
///
/// The names are listed in Documentation/Metrics.md. The handlers are made once, when the database is opened, by the
/// factory that the program has set by then.
final class DatabaseMetrics: Sendable {
    typealias Time = SuspendingClock.Instant

    private struct Sizes {
        var file: Int64 = 0
        var log: Int64 = 0
        var measured: Time?
        var isClosed = false
    }

    /// The time after which a commit measures the sizes of the files again.
    private static let interval = Duration.seconds(1)

    private let path: String
    private let commit = Timer(label: "sealite_database_commit_seconds")
    private let wait = Timer(label: "sealite_database_write_wait_seconds")
    private let rollbacks = Counter(label: "sealite_database_rollbacks_total")
    private let busy = Counter(label: "sealite_database_busy_total")
    private let fileBytes = Meter(label: "sealite_database_file_bytes")
    private let logBytes = Meter(label: "sealite_database_wal_bytes")
    private let sizes = Mutex(Sizes())

    private init(_ path: String) {
        self.path = path
        measure()
    }

    /// Returns the measures of a database that was opened; nil if the program has no back end for metrics, so that
    /// nothing is measured.
    static func make(forFileAt path: String) -> DatabaseMetrics? {
        MetricsSystem.factory is NOOPMetricsHandler ? nil : DatabaseMetrics(path)
    }

    var now: Time { .now }

    /// Records that a transaction has begun that was asked for at `asked`.
    func began(after asked: Time) { wait.recordNanoseconds((Time.now - asked).nanoseconds) }

    /// Records that a transaction couldn't begin within the time limit, because others were writing.
    func gaveUp() { busy.increment() }

    func rolledBack() { rollbacks.increment() }

    /// Records a commit that began at `start` and has ended.
    func committed(since start: Time) {
        let end = Time.now
        commit.recordNanoseconds((end - start).nanoseconds)
        let isDue = sizes.withLock { sizes in
            if let last = sizes.measured, end - last < Self.interval { return false }
            sizes.measured = end
            return true
        }
        if isDue { measure() }
    }

    /// Measures the sizes of the file and its log now. The gauges are the sums over the open databases.
    func measure() {
        let (file, log) = (Self.size(path), Self.size(path + "-wal"))
        sizes.withLock { sizes in
            guard !sizes.isClosed else { return }
            report(&sizes, file: file, log: log)
        }
    }

    /// Subtracts the database's sizes from the sums.
    func close() {
        sizes.withLock { sizes in
            report(&sizes, file: 0, log: 0)
            sizes.isClosed = true
        }
    }

    private func report(_ sizes: inout Sizes, file: Int64, log: Int64) {
        Self.change(fileBytes, by: file - sizes.file)
        Self.change(logBytes, by: log - sizes.log)
        (sizes.file, sizes.log) = (file, log)
    }

    /// Changes a meter. Back ends ignore negative amounts.
    private static func change(_ meter: Meter, by amount: Int64) {
        if amount > 0 { meter.increment(by: Double(amount)) }
        if amount < 0 { meter.decrement(by: Double(-amount)) }
    }

    private static func size(_ path: String) -> Int64 {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}

extension Database {
    /// Measures the sizes that are reported through swift-metrics now, for a back end that is asked for its values.
    package func measureSizes() { metrics?.measure() }
}

extension Duration {
    /// The duration in nanoseconds.
    fileprivate var nanoseconds: Int64 {
        components.seconds &* 1_000_000_000 &+ components.attoseconds / 1_000_000_000
    }
}
