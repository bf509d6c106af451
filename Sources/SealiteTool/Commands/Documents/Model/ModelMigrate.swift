import ArgumentParser
import SealiteDatabase
import SealiteModel
import Synchronization

extension ModelCommand {
    /// The command `sealite model migrate`, which migrates documents to new schemas if no migration function is
    /// required.
    struct Migrate: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate",
            abstract: "Migrate documents to new schemas, if no migration function is required.",
            discussion: """
                Adds properties, with their defaults if they are required, makes properties optional or required, \
                and renames them with --rename. All other changes, such as another type of a property, are refused \
                and listed: they need an application's migration function. Either all documents are changed, in one \
                transaction, or none, and the version is incremented. Synced collections accept additions and renames \
                only, and their documents aren't changed.

                Example: sealite model migrate pets.db dog.schema.json --rename breed=race --key-file pets.key
                """)

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var files: SchemaFiles

        @Option(
            "old=new",
            help:
                "The new name of a property: OLD=NEW, or TYPE.OLD=NEW where there are several schemas. May be repeated."
        )
        var rename: [String] = []

        @Option("n", help: "The version number of the new schemas. Default: one more than the stored one.")
        var schemaVersion: UInt64?

        @OptionGroup var options: DocumentOptions

        func validate() throws { try options.key.requireOneReader(("a schema", files.readsStandardInput)) }

        func run(in database: Database) throws {
            let catalogue = SchemaCatalogue(database)
            var (schema, _) = try files.read(besides: place.database, collections: try catalogue.titles())
            for text in rename {
                let rename = try Rename(text, schema)
                try rename.check(from: try catalogue.storedSchema(rename.type)?.object, to: schema[rename.type])
                rename.apply(to: &schema)
            }
            let last = try catalogue.storedSchemas().map(\.version).max()
            let version = try migrate(to: schema, catalogue, last: last)
            options.output.print(
                version == last ? "stored the schemas; the version stays \(version)" : "migrated to version \(version)",
                json: ["version": version])
        }
    }
}

extension ModelCommand.Migrate {
    /// Migrates the documents, reports progress, and returns the version that the schemas have then.
    fileprivate func migrate(to schema: Schema, _ catalogue: SchemaCatalogue, last: UInt64?) throws -> UInt64 {
        let progress = Mutex(ProgressReporter(json: options.output.json))
        defer { progress.withLock { $0.finish() } }
        do {
            return try StoppableChange().run {
                try catalogue.migrate(schema, version: schemaVersion) { done in
                    progress.withLock {
                        $0.report("migrating", completed: done.rowCount, total: done.totalRowCount)
                    }
                    return true
                }
            }
        } catch let error as SchemaError {
            guard case .migrationRequired = error else { throw error }
            var report = ToolError(error)
            if let schemaVersion, let last, schemaVersion <= last {
                report.hint = "--schema-version takes a number above the stored version, which is \(last)"
            } else {
                report.hint =
                    "--rename OLD=NEW keeps the values of a renamed property; other changes need an application's migration function"
            }
            throw report
        }
    }
}

/// A renamed property, as given on the command line.
private struct Rename {
    let type: String
    let old: String
    let new: String

    init(_ text: String, _ schema: Schema) throws(ToolError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw .usage("--rename takes OLD=NEW, not \"\(text)\"")
        }
        let roots = schema.roots
        let owner = roots.first { parts[0].hasPrefix($0.name + ".") }
        if let owner {
            (type, old, new) = (owner.name, String(parts[0].dropFirst(owner.name.count + 1)), parts[1])
        } else if let only = roots.first, roots.count == 1 {
            (type, old, new) = (only.name, parts[0], parts[1])
        } else {
            throw .usage(
                "--rename \"\(text)\" doesn't begin with one of the schemas' types: \(roots.map(\.name).joined(separator: ", "))",
                hint: "write TYPE.OLD=NEW")
        }
    }

    /// Checks that the values can be kept under the new name.
    ///
    /// - Parameters:
    ///   - stored: the stored type; nil if the database doesn't have it.
    ///   - due: the type after the migration.
    /// - Throws: an error unless the stored type has the old property and not the new one, the type after the migration
    ///   has the new one and not the old one, and values of both properties are stored in the same form.
    func check(from stored: ObjectSchema?, to due: ObjectSchema?) throws(ToolError) {
        let place = "--rename \"\(old)=\(new)\""
        guard let stored else { throw .usage("\(place): the database has no schema of \"\(type)\"") }
        guard let property = stored[old] else {
            throw .usage(
                "\(place): the stored schema of \"\(type)\" has no property \"\(old)\"",
                hint: "'sealite model schema' shows those it has")
        }
        guard stored[new] == nil else {
            throw .usage("\(place): the stored schema of \"\(type)\" has a property \"\(new)\" already")
        }
        guard let target = due?[new] else {
            throw .usage("\(place): the new schema of \"\(type)\" has no property \"\(new)\"")
        }
        guard due?[old] == nil else {
            throw .usage("\(place): the new schema of \"\(type)\" still has the property \"\(old)\"")
        }
        guard property.type.isStoredAs(target.type) else {
            throw .usage(
                "\(place): the type would change from '\(property.type.name)' to '\(target.type.name)'",
                hint: "other types need an application's migration function")
        }
    }

    func apply(to schema: inout Schema) {
        guard let place = schema.objects.firstIndex(where: { $0.name == type }),
            let index = schema.objects[place].properties.firstIndex(where: { $0.name == new })
        else { return }
        if !schema.objects[place].properties[index].renamedFrom.contains(old) {
            schema.objects[place].properties[index].renamedFrom.append(old)
        }
    }
}
