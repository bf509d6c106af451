import ArgumentParser
import SealiteDatabase
import SealiteFile

/// The command `sealite import`, which saves each line of a file, a JSON object, as a document.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Save each line of a file, a JSON object, as a document.",
        discussion: """
            The id of a document is its member "_id", as 'sealite export' writes it; the member isn't stored in the \
            document. A line without it gets a random UUID. With --id-field another member has the id; every line \
            must then have that member, and it stays in the document unless its name begins with "_". Ids are texts \
            or integers. An existing document gets a new revision, unless it is equal to the line.

            Files of 'sealite export --all' are recognized: collections are created, and blobs are stored.

            Lines are saved in transactions of a thousand. If a line can't be saved, the error names it, and the \
            lines of earlier transactions remain stored. With --atomic nothing is stored in this case. With \
            --keep-going the refused lines are written to a file, and all other lines are saved.

            After a salvage, combine a backup and the rescued documents with 'sealite restore backup.db merged.db', \
            'sealite export rescued.db rescued.jsonl --all', 'sealite import merged.db rescued.jsonl'.

            Example: sealite import geo.db countries.jsonl --id-field alpha_3 --key-file geo.key
            """)

    @OptionGroup var place: DatabaseArgument

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Option("name", help: "The member that gives the id.")
    var idField: String?

    @Flag(help: "Import all lines in one transaction.")
    var atomic = false

    @Option("file", help: "Skip lines that can't be saved, and write them to this new file.")
    var keepGoing: String?

    @Flag(name: [.customShort("n"), .long], help: "Save nothing; check the lines, with --keep-going all of them.")
    var dryRun = false

    @Option("name", help: "The collection, which is created if it doesn't exist: its name, or SCOPE.NAME.")
    var collection = CollectionArgument.standard

    @OptionGroup var options: DocumentOptions

    /// The member that contains the document's ID in an imported or exported JSON object, unless `--id-field` names
    /// another one. Stored documents can't have a property named `_id`.
    static let standardIDField = "_id"

    func validate() throws { try options.key.requireOneReader(("the content", file == "-")) }

    /// The error that is thrown to roll back the transaction of a dry run.
    private struct Withdrawn: Error {}

    func run() throws {
        let progress = ProgressReporter(json: options.output.json)
        defer { progress.finish() }
        let refusals = try keepGoing.map { try RefusedLines($0) }
        var missing = 0
        let counts = try options.withDatabase(place.database) { database in
            let input = try InputFile(file, besides: place.database)
            var change = StoppableChange()
            let known = try database.referredBlobs().missingCount
            let run = try ImportRun(
                input: input, database: database, collection: collection, idField: idField,
                isAtomic: atomic || dryRun, refusals: refusals, progress: progress)
            change.effect = { run.effect }
            return try change.run {
                do {
                    guard atomic || dryRun else {
                        try run.saveAll()
                        missing = try database.referredBlobs().missingCount - known
                        return run.counts
                    }
                    try database.write { _ in
                        try run.saveAll()
                        missing = try database.referredBlobs().missingCount - known
                        if dryRun { throw Withdrawn() }
                    }
                } catch is Withdrawn {}
                return run.counts
            }
        }
        progress.finish()
        try refusals?.finish()
        report(counts)
        if missing > 0 {
            Console.warn(
                "blobs-missing",
                "the imported documents refer to \(counted(missing, "blob")) whose content isn't in the database: import a file of 'sealite export --all', which has the content of blobs, or fetch it by a sync"
            )
        }
        guard let refusals, refusals.count > 0 else { return }
        throw ToolError(
            .failed, code: "lines-refused",
            "\(counted(refusals.count, "line")) couldn't be saved, and \(refusals.count == 1 ? "is" : "are") in \"\(refusals.path)\"",
            hint: "correct the lines, and import that file")
    }

    private func report(_ counts: ImportRun.Counts) {
        guard !options.output.json else {
            return Console.print([
                "imported": counts.documents, "unchanged": counts.unchanged > 0 ? counts.unchanged : nil,
                "blobs": counts.blobs > 0 ? counts.blobs : nil, "dryRun": JSONValue.flag(dryRun),
            ])
        }
        let blobs = counts.blobs > 0 ? " and \(counted(counts.blobs, "blob"))" : ""
        guard !dryRun else {
            let equal = counts.unchanged > 0 ? ", \(counts.unchanged) equal to the stored ones" : ""
            return Console.confirm(
                "checked \(counted(counts.documents + counts.unchanged, "document"))\(blobs)\(equal); nothing was saved"
            )
        }
        let equal =
            counts.unchanged > 0 ? " of \(counts.documents + counts.unchanged) read; the others are as they were" : ""
        Console.confirm("imported \(counted(counts.documents, "document"))\(blobs)\(equal)")
    }
}

/// A new file for the lines that an import has skipped. The file is created when the first line is skipped.
final class RefusedLines {
    let path: String
    private(set) var count = 0
    private var file: NewFile?

    /// Prepares a file at a path, without creating it.
    ///
    /// - Throws: an error if a file exists at the path.
    init(_ path: String) throws {
        self.path = path
        try NewFile.requireFree(path)
    }

    func add(_ line: [UInt8], number: Int, _ error: ToolError) throws {
        Console.note(ofLine: number, error)
        count += 1
        if file == nil { file = try NewFile(path) }
        try file?.write(line + [UInt8(ascii: "\n")])
    }

    /// Completes the file, which appears under its name only now.
    func finish() throws { try file?.publish() }
}
