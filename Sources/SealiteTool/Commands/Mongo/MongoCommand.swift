import ArgumentParser

/// `sealite mongo`
struct MongoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mongo",
        abstract: "Read and change documents with MongoDB's filters, updates and pipelines.",
        discussion: """
            What is read is Extended JSON, in its relaxed or its canonical form or a mixture; what is written is relaxed, a document to a \
            line, and with --canonical the form that names the type of every number. A document's id is its "_id".

            What stands on a command line is seen by everyone who sees the process: --filter-file and its like read the same from a file, \
            and then the argument is left out.

            Example: sealite mongo find notes.db people '{"age": {"$gte": 21}}' --sort '{"name": 1}' --key-file notes.key
            """,
        subcommands: [
            Find.self, Count.self, Distinct.self, Insert.self, Update.self, Replace.self, Delete.self, Aggregate.self,
            IndexCommands.self,
        ])
}
