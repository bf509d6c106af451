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
        try ValidationError.requireOne(("--quiet", quiet), ("--verbose", verbose))
        Console.beQuiet(quiet)
        Console.beVerbose(verbose)
        if verbose { ToolLog.raise(to: .debug) }
    }

    /// Writes a result: an object with `--json`, otherwise a text.
    func print(_ text: @autoclosure () -> String, json object: @autoclosure () -> JSONValue) {
        if json { Console.print(object()) } else { Console.print(text()) }
    }

    /// Writes what a command did: an object with `--json`, otherwise a text, which `--quiet` leaves out.
    func confirm(_ text: @autoclosure () -> String, json object: @autoclosure () -> JSONValue) {
        if json { Console.print(object()) } else { Console.confirm(text()) }
    }
}

/// The flag `--yes` of commands that ask before they do what can't be undone.
struct ConfirmationOptions: ParsableArguments {
    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    /// Asks the question unless `--yes` was given, and throws unless the answer is yes. The texts say what the command
    /// was about to do, and that it didn't.
    func require(_ question: String, _ permission: Console.Permission, act: String, refusal: String) throws {
        guard !yes else { return }
        guard permission.isGiven else {
            throw ToolError.usage("\(act) wasn't confirmed", hint: "confirm it with --yes")
        }
        guard try Console.confirms(question.withoutControls) else {
            throw ToolError(.failed, code: "cancelled", "\(refusal), because the confirmation was declined")
        }
    }
}

extension Int? {
    /// Throws unless the value of an option is above 0.
    func requirePositive(_ option: String) throws {
        guard self ?? 1 > 0 else { throw ValidationError("\(option) takes a number above 0.") }
    }
}

extension Option {
    /// Makes an option whose value has a name in the help; the names of files are completed.
    init<T: ExpressibleByArgument>(
        _ value: String, name: NameSpecification = .long, help: String, completion: CompletionKind? = nil
    ) where Value == T? {
        self.init(
            name: name, help: ArgumentHelp(help, valueName: value), completion: completion ?? .ofValue(value))
    }

    /// Makes an option that may be repeated.
    init<T: ExpressibleByArgument>(
        wrappedValue: [T], _ value: String, name: NameSpecification = .long, help: String
    ) where Value == [T] {
        self.init(
            wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value),
            completion: .ofValue(value))
    }
}

extension Option where Value: ExpressibleByArgument {
    /// Makes an option with a default value.
    init(wrappedValue: Value, _ value: String, name: NameSpecification = .long, help: String) {
        self.init(wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value))
    }
}

extension CompletionKind {
    fileprivate static func ofValue(_ name: String) -> CompletionKind? { name == "file" ? .file() : nil }
}

/// The option `--timeout`: the time to wait for other processes' locks. Parsing it sets the default of all connections
/// that the process opens.
struct WaitOptions: ParsableArguments {
    @Option("seconds", help: "The maximum time to wait for another process's lock.")
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
