internal import Logging
import ArgumentParser
import Foundation
import SealiteFile

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
