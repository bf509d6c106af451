import ArgumentParser
import Foundation
internal import Logging
import SealiteFile
internal import Synchronization

/// The options of every command that writes a report.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Write JSON; an error is one JSON object on standard error.")
    var json = false

    @Flag(name: .shortAndLong, help: "Write only results, warnings and errors: no progress and no confirmations.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Log each step on standard error; with --json, progress too, as objects.")
    var verbose = false

    func validate() throws {
        guard !(quiet && verbose) else { throw ValidationError("--quiet and --verbose can't be given together.") }
        Console.beQuiet(quiet)
        Console.beVerbose(verbose)
        if verbose { ToolLog.raise(to: .debug) }
    }
}

/// The option `--timeout`: the time to wait for other processes' locks. Parsing it sets the default of all connections
/// that the process opens.
struct WaitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The maximum time to wait for another process's lock.", valueName: "seconds"))
    var timeout = 5.0

    func validate() throws {
        guard timeout >= 0, timeout <= 1_000_000 else {
            throw ValidationError("--timeout takes 0 to 1000000 seconds.")
        }
        RawConnection.standardBusyMilliseconds.store(Int32(timeout * 1000), ordering: .relaxed)
    }
}

/// Writes reports as JSON, or as lines of "name: value".
enum Report {
    static func print(_ lines: [(String, String)]) {
        let width = lines.map(\.0.count).max() ?? 0
        for (name, value) in lines { Console.print("\(name.padded(to: width))  \(value.withoutControls)") }
    }

    /// Writes a report of the library as one line of JSON.
    static func printJSON(_ report: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        Console.print(String(decoding: try encoder.encode(report), as: UTF8.self))
    }
}
