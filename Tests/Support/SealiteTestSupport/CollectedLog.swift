package import Logging
import InMemoryLogging

/// Everything that is logged, at every level.
package struct CollectedLog: Sendable {
    private let handler = InMemoryLogHandler()

    /// Makes a log without lines.
    package init() {}

    /// What to hand to the code under test.
    package var logger: Logger {
        var logger = Logger(label: "test") { [handler] _ in handler }
        logger.logLevel = .trace
        return logger
    }

    /// The lines: level, message, and the metadata in the order of their keys, as `info peer connected peer=127.0.0.1:4984`.
    package var lines: [String] {
        handler.entries.map { entry in
            let metadata = entry.metadata.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }
            return "\(entry.level) \(entry.message)" + metadata.joined() + (entry.error.map { " \($0)" } ?? "")
        }
    }

    /// Returns the number of lines that hold all of some words.
    package func count(of words: String...) -> Int {
        lines.count { line in words.allSatisfy(line.contains) }
    }
}

extension Logger {
    /// A logger that drops everything, for tests whose subject is something else.
    package static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
