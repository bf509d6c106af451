import ArgumentParser

/// The command `sealite model`, whose subcommands keep, compare and apply the schemas of documents, generate Swift from
/// them, and list documents that don't conform to them.
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract:
            "Keep, compare and apply the schemas of documents, generate Swift from them, and list documents that don't fit.",
        discussion: """
            A schema is a JSON Schema in the dialect of App Services: its "title" is the name of the document type, \
            and "bsonType" gives the types of members. A database stores one schema for each type. Every command \
            validates documents that it saves in the type's collection.

            Example: sealite model apply pets.db dog.schema.json --key-file pets.key
            """,
        subcommands: [
            List.self, Print.self, Apply.self, Diff.self, Migrate.self, Check.self, Convert.self, Generate.self,
            Infer.self,
        ])
}
