import Foundation
import Glibc
import Logging
import Synchronization

/// The log of the library on standard error. It is silent unless `--verbose`, `--log-level` or the command `serve`
/// raises its level.
///
/// A line has the time, the level, the message and the metadata. Under systemd, which adds the time itself, the
/// priority (sd-daemon(3)) replaces the time and the level.
struct ToolLog: LogHandler {
    private static let threshold = Mutex<Logger.Level?>(nil)

    let label: String
    var metadata: Logger.Metadata = [:]
    /// The level of all loggers, which a single logger can't change.
    var logLevel: Logger.Level {
        get { Self.threshold.withLock { $0 } ?? .critical }
        set { _ = newValue }
    }

    init(label: String) { self.label = label }

    /// Lets lines of a level, and of levels above it, be written.
    static func raise(to level: Logger.Level) {
        threshold.withLock { $0 = min($0 ?? level, level) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard let threshold = Self.threshold.withLock({ $0 }), event.level >= threshold else { return }
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let details = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        let begin = Self.isJournal ? "<\(event.level.priority)>" : "\(Date().ISO8601Format()) \(event.level) "
        Console.note("\(begin)\(label): \(event.message)\(details)".withoutControls + "\n")
    }

    /// A Boolean value that says whether standard error is systemd's journal, whose device and inode systemd names.
    private static let isJournal: Bool = {
        guard let name = unsafe getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
        return unsafe String(cString: name) == "\(status.st_dev):\(status.st_ino)"
    }()
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
