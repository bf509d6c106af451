import ArgumentParser
import Dispatch
import Logging
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteJSON
import SealiteMaintenance
import SealiteReplicator

/// The value of `--log-level`: the lowest level of the log lines that are written.
struct LogLevel: ExpressibleByArgument {
    let level: Logger.Level

    init?(argument: String) {
        guard let level = Logger.Level(rawValue: argument) else { return nil }
        self.level = level
    }
}
