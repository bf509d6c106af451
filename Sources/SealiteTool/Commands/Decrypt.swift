import ArgumentParser
import SealiteFile
import SealiteMaintenance

/// The command `sealite decrypt`, which writes a plain copy of a sealed database.
struct Decrypt: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decrypt",
        abstract: "Write a plain copy of a sealed database.",
        discussion: """
            Asks for confirmation, because everyone who can read the copy can read all of its content. The sealed \
            file isn't changed, and an existing file is never replaced.

            Example: sealite decrypt sealed.db plain.db --key-file sealed.key --yes
            """)

    @Argument(help: "The sealed database.", completion: .file())
    var database: String

    @Argument(help: "The plain database to make.", completion: .file())
    var plain: String

    @Flag(help: "Don't ask for confirmation.")
    var yes = false

    @OptionGroup var key: KeyOptions
    @OptionGroup(title: HelpSections.keys) var freshness: FreshnessOptions

    @OptionGroup var wait: WaitOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        try NewFile.requireFree(plain)
        Leftovers.tell(beside: plain)
        if !yes { try ask() }
        let sealed = try key.unlock(database, freshness: freshness)
        let progress = ProgressReporter(json: output.json)
        defer { progress.finish() }
        let report = try sealed.decrypt(to: plain) {
            progress.report($0)
            return true
        }
        progress.finish()
        report.print(path: plain, verb: "wrote", json: output.json)
        if report.reservedByteCount > 0, !output.json {
            Console.print(
                "\(report.reservedByteCount) bytes of each page of the copy stay reserved, because the database couldn't be copied row by row"
            )
        }
    }

    private func ask() throws {
        guard key.asking.permission.isGiven else {
            throw ToolError.usage("writing \"\(plain)\" in clear wasn't confirmed", hint: "confirm it with --yes")
        }
        guard try Console.confirms("Write the content of \(database) in clear to \(plain)?".withoutControls) else {
            throw ToolError(.failed, code: "cancelled", "nothing was written, because the confirmation was declined")
        }
    }
}
