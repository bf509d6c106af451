import ArgumentParser

/// The command `sealite mongo`, whose subcommands read and change documents with MongoDB's filters, updates and
/// pipelines.
struct MongoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mongo",
        abstract: "Read and change documents with MongoDB's filters, updates and pipelines.",
        discussion: """
            Input is Extended JSON, in the relaxed form, the canonical form or a mixture of both. Output is relaxed \
            Extended JSON, one document on each line; --canonical selects the canonical form, which has the type of \
            every number. A document's id is its "_id".

            Everyone who can list processes sees the command line. --filter-file and similar options read the same \
            input from a file instead of an argument.

            Example: sealite mongo find notes.db people '{"age": {"$gte": 21}}' --sort '{"name": 1}' --key-file \
            notes.key
            """,
        subcommands: [
            Find.self, Count.self, Distinct.self, Insert.self, Update.self, Replace.self, Delete.self, Aggregate.self,
            IndexCommands.self,
        ])
}
