import ArgumentParser
import Foundation
internal import Logging
import SealiteFile
import SealiteJSON
internal import Synchronization

extension String {
    /// The text with control characters escaped, because content of a file must not control a terminal.
    var withoutControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.isControl:
                text += "\\x" + String(scalar.value, radix: 16).padded(to: 2, with: "0", right: false)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with its lines and tabs, and with all other control characters escaped.
    var withoutControlsInLines: String {
        split(separator: "\n", omittingEmptySubsequences: false)
            .map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).withoutControls }
                    .joined(separator: "\t")
            }
            .joined(separator: "\n")
    }
}

extension String {
    /// The text as one argument of a shell command, in quotes if necessary.
    var shellArgument: String {
        let isPlain = utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x40...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x2F, 0x5F: true
            default: false
            }
        }
        return isPlain && !isEmpty ? self : "'" + replacing(scalar: "'", with: "'\\''") + "'"
    }
}

/// Returns a number with its noun, in the plural unless the number is 1.
func counted(_ number: some BinaryInteger, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Returns a number of bytes in a form for people, such as `512 bytes` or `1.5 KiB (1536 bytes)`.
func sizeText(_ byteCount: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var (value, unit) = (Double(byteCount), 0)
    while value >= 1024, unit < units.count - 1 {
        value /= 1024
        unit += 1
    }
    return unit == 0
        ? counted(byteCount, "byte") : "\((value * 10).rounded() / 10) \(units[unit]) (\(byteCount) bytes)"
}

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
