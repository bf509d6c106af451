import ArgumentParser
import SealiteDatabase
import SealiteModel

extension ModelCommand {
    /// The command `sealite model apply`, which stores schemas in a database, against which saved documents are
    /// validated from now on.
    struct Apply: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "apply",
            abstract: "Store schemas in the database, against which saved documents are validated from now on.",
            discussion: """
                A type without a stored schema gets a collection with its name, or the one named by --collection. \
                For other types the new schema is stored if documents needn't change: additions, texts, constraints \
                and the policy. Other changes are refused and listed; 'sealite model migrate' performs those that \
                need no function. Either all schemas are stored or none. Documents aren't changed: 'sealite model \
                check' lists those that don't conform.

                With the level moderate, a document that didn't conform before may be saved again; with off, nothing \
                is validated. With the action warn, a document that doesn't conform is saved and reported.

                Example: sealite model apply pets.db dog.schema.json --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var files: SchemaFiles

        @Option("name", help: "The collection for the type of a single schema file: its name, or SCOPE.NAME.")
        var collection: CollectionArgument?

        @Option("n", help: "The version number of the schema. Default: that of the stored schema, or 0.")
        var schemaVersion: UInt64?

        @OptionGroup var policy: PolicyOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            try options.key.requireOneReader(("a schema", files.readsStandardInput))
            guard collection == nil || files.schemas.count == 1 else {
                throw ValidationError(
                    "--collection can be given with a single schema file only, not with \(files.schemas.count).")
            }
        }

        func run(in database: Database) throws {
            let catalogue = SchemaCatalogue(database)
            let (schema, _) = try files.read(besides: place.database, collections: try catalogue.titles())
            let target = collection.map { ($0.scope, $0.name) }
            try StoppableChange("applying", json: options.output.json).run {
                try database.write { _ in
                    for type in schema.roots {
                        try catalogue.apply(
                            type.name, of: schema, in: target, version: schemaVersion, policy: policy.change)
                    }
                }
            }
            options.output.report("applied", schema.roots.map(\.name))
        }
    }

    /// The command `sealite model diff`, which lists how schemas differ from those that a database keeps.
    struct Diff: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "List how schemas differ from those that the database keeps.",
            discussion: """
                Each line has the type, the property, the difference, and its effect on synced applications \
                ("server") and on an application that has the new schema in its code ("client"): none, widening, \
                nonBreaking, narrowing or breaking. If the schemas are equal, nothing is printed.

                Example: sealite model diff pets.db dog.schema.json --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var files: SchemaFiles
        @OptionGroup var options: DocumentOptions

        func validate() throws { try options.key.requireOneReader(("a schema", files.readsStandardInput)) }

        func run() throws {
            let differences = try options.withDatabase(place.database) { database in
                let catalogue = SchemaCatalogue(database)
                let (schema, _) = try files.read(besides: place.database, collections: try catalogue.titles())
                return try schema.roots.flatMap { type in
                    let old = try catalogue.storedSchema(type.name)?.schema ?? Schema()
                    return Schema.compare(old, schema.closure(of: type.name))
                }
            }
            for difference in differences {
                options.output.print(difference.description.withoutControls, json: difference.json)
            }
        }
    }
}

extension SchemaCatalogue {
    /// Returns the titles of the types that have collections, by the names of their collections.
    func titles() throws -> [String: String] {
        Dictionary(
            try storedSchemas().compactMap { stored in stored.collection.map { ($0.name, stored.title) } }
        ) { first, _ in first }
    }
}

extension SchemaDifference {
    /// The difference as JSON, for scripts.
    fileprivate var json: JSONValue {
        [
            "type": type, "property": property, "difference": reason, "server": server.rawValue,
            "client": client.rawValue,
        ]
    }
}

/// The options for the validation of documents.
struct PolicyOptions: ParsableArguments {
    @Option(help: "The validation level.")
    var level: SchemaPolicy.Level?

    @Option(help: "The action for documents that don't fit.")
    var action: SchemaPolicy.Action?

    @Flag(inversion: .prefixedNo, help: "Accept null for optional members.")
    var nullTypeValidation: Bool?

    /// Changes a policy according to the options.
    func change(_ policy: inout SchemaPolicy) {
        if let level { policy.level = level }
        if let action { policy.action = action }
        if let nullTypeValidation { policy.nullTypeValidation = nullTypeValidation }
    }
}
