public import ArgumentParser
import SealiteDatabase
public import SealiteModel

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

extension ModelCommand {
    /// The command `sealite model list`, which lists the types whose schemas a database keeps.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the types whose schemas the database keeps.",
            discussion: """
                Each line has the type, its collection, the version, the number of properties, and the validation of \
                documents.

                Example: sealite model list pets.db --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var options: DocumentOptions

        func run() throws {
            let stored = try options.withDatabase(place.database) { try SchemaCatalogue($0).storedSchemas() }
            for schema in stored { options.output.print(schema.line.withoutControls, json: schema.json) }
        }
    }

    /// The command `sealite model schema`, which writes the schemas that a database keeps, as JSON Schema.
    struct Print: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema",
            abstract: "Write the schemas that the database keeps, as JSON Schema.",
            discussion: """
                Properties that JSON Schema can't express, such as indexes, links and the policy, are written as \
                members "sealite"; --plain omits them. With --json each schema is one line. --relationships writes \
                App Services' relationships instead, one object for each type.

                Example: sealite model schema pets.db Dog --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The types. Default: all.")
        var types: [String] = []

        @Flag(help: "Don't write the members \"sealite\".")
        var plain = false

        @Flag(help: "Write App Services' relationships instead of the schemas.")
        var relationships = false

        @OptionGroup var options: DocumentOptions

        func run(in database: Database) throws {
            for stored in try SchemaCatalogue(database).find(types) {
                let document =
                    relationships ? stored.schema.relationships(of: stored.title) : stored.jsonSchema(isPlain: plain)
                Console.print(document.schemaText(json: options.output.json))
            }
        }
    }
}

extension SchemaCatalogue {
    /// Returns the stored schemas of the named types, or all if none is named.
    ///
    /// - Throws: an error if a type has no schema.
    func find(_ titles: [String]) throws -> [StoredSchema] {
        let stored = try storedSchemas()
        guard !titles.isEmpty else { return stored }
        return try titles.map { title in
            guard let found = stored.first(where: { $0.title == title }) else {
                throw ToolError(
                    .noInput, code: "no-such-type", "there is no schema of the type \"\(title)\"",
                    hint: "'sealite model list' shows those there are")
            }
            return found
        }
    }
}

extension StoredSchema {
    /// The type, its collection, the version, the number of properties and the validation of documents, as a line for
    /// people.
    fileprivate var line: String {
        let place = collection.map { CollectionArgument($0).description } ?? "no collection"
        return [
            title, place, "version \(version)",
            counted(object.properties.count, "property", "properties"),
            "\(policy.level.rawValue), \(policy.action.rawValue)",
        ].joined(separator: "  ")
    }

    /// The type, its collection, the version, the properties and the validation of documents, as JSON for scripts.
    fileprivate var json: JSONValue {
        [
            "type": title, "collection": collection?.fullName, "version": version,
            "properties": object.properties.map(\.name), "level": policy.level.rawValue,
            "action": policy.action.rawValue, "nullTypeValidation": policy.nullTypeValidation,
        ]
    }
}

// Conformances for options of `sealite model`.
extension SchemaPolicy.Level: ExpressibleByArgument {}
extension SchemaPolicy.Action: ExpressibleByArgument {}
extension SwiftWriter.Access: ExpressibleByArgument {}
