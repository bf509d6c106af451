import ArgumentParser

/// `sealite model`
struct ModelCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract:
            "Keep, compare and apply the schemas of documents, generate Swift from them, and list documents that don't fit.",
        discussion: """
            A schema is a JSON Schema in the dialect of App Services: its "title" names the type of the documents, "bsonType" the types of \
            their members. A database keeps one for each type; what is saved in the type's collection has to fit it, by whatever command.

            Example: sealite model apply pets.db dog.schema.json --key-file pets.key
            """,
        subcommands: [
            List.self, Print.self, Apply.self, Diff.self, Migrate.self, Check.self, Generate.self, Infer.self,
        ])
}
