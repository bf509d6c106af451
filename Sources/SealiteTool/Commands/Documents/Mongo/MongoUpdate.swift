import ArgumentParser
import SealiteMongo
import SealiteValues

extension MongoCommand {
    /// The command `sealite mongo update`, which changes the first document that matches a filter, or all of them.
    struct Update: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "update",
            abstract: "Change the first document that fulfils a filter, or with --many all of them.",
            discussion: """
                UPDATE has operators such as $set and $inc, or is a pipeline. Either all matching documents are \
                changed or, if one can't be changed, none. A document that the update leaves equal gets no new \
                revision, and isn't counted as changed.

                Example: sealite mongo update notes.db people '{"name": "Ann"}' '{"$inc": {"age": 1}}' --key-file \
                notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "The filter.")
        var filter: String?

        @Argument(help: "The update: a document of operators, or an array of stages.")
        var update: String?

        @Option("file", help: "Read the filter from this file.")
        var filterFile: String?

        @Option("file", help: "Read the update from this file.")
        var updateFile: String?

        @Flag(help: "Change all documents that fulfil the filter.")
        var many = false

        @Option("json", help: "The array filters, to which $[name] in paths refers.")
        var arrayFilters: String?

        @OptionGroup var replacing: ReplacingOptions
        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            var arguments = MongoArguments([filter, update], place: place, options: options)
            let filter = try arguments.require("filter", file: filterFile).document
            let change = try Change(try arguments.require("update", file: updateFile))
            try arguments.requireEnd()
            let update = UpdateOptions(
                arrayFilters: try MongoValue.documents("value of --array-filters", option: arrayFilters),
                upsert: replacing.upsert, sort: try MongoValue.document("value of --sort", option: replacing.sort))
            let many = many
            do {
                let result = try place.withCollection(options, isMade: replacing.upsert) { collection in
                    try StoppableChange("updating", json: options.output.json).runTask {
                        try await change.run(on: collection, filter, update, isMany: many)
                    }
                }
                result.print(form.form, options.output)
            } catch let error as MongoError where change.lacksOperators {
                var report = ToolError(error)
                report.hint =
                    "'{\"$set\": {\"NAME\": VALUE}}' sets members of the documents; 'sealite mongo replace' replaces a whole document"
                throw report
            }
        }

        /// The two kinds of updates: operators, and a pipeline.
        private enum Change {
            case operators(MongoDocument)
            case stages([MongoDocument])

            init(_ value: MongoValue) throws(ToolError) {
                let kinds = "a document of operators or an array of stages"
                if case .array = value.value {
                    self = .stages(try value.documents(as: kinds))
                } else {
                    self = .operators(try value.document(as: kinds))
                }
            }

            /// A Boolean value that says whether the update is a plain document, which could only replace another one.
            var lacksOperators: Bool {
                guard case .operators(let update) = self else { return false }
                return !(update.keys.first?.hasPrefix("$") ?? false)
            }

            func run(
                on collection: MongoCollection<MongoDocument>, _ filter: MongoDocument, _ options: UpdateOptions,
                isMany: Bool
            ) async throws -> UpdateResult {
                switch (self, isMany) {
                case (.operators(let update), false):
                    try await collection.updateOne(filter, update, options: options)
                case (.operators(let update), true):
                    try await collection.updateMany(filter, update, options: options)
                case (.stages(let stages), false):
                    try await collection.updateOne(filter, pipeline: stages, options: options)
                case (.stages(let stages), true):
                    try await collection.updateMany(filter, pipeline: stages, options: options)
                }
            }
        }
    }

    /// The command `sealite mongo replace`, which replaces the first document that matches a filter.
    struct Replace: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "replace",
            abstract: "Replace the first document that fulfils a filter; its _id stays.",
            discussion: """
                Example: sealite mongo replace notes.db people '{"_id": "ann"}' '{"name": "Ann", "age": 31}' --upsert --key-file notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "The filter.")
        var filter: String?

        @Argument(help: "The document.")
        var document: String?

        @Option("file", help: "Read the filter from this file.")
        var filterFile: String?

        @Option("file", help: "Read the document from this file.")
        var documentFile: String?

        @OptionGroup var replacing: ReplacingOptions
        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            var arguments = MongoArguments([filter, document], place: place, options: options)
            let filter = try arguments.require("filter", file: filterFile).document
            let document = try arguments.require("document", file: documentFile).document
            try arguments.requireEnd()
            let replacing = UpdateOptions(
                upsert: replacing.upsert, sort: try MongoValue.document("value of --sort", option: replacing.sort))
            let result = try place.withCollection(options, isMade: replacing.upsert) { collection in
                try StoppableChange("replacing", json: options.output.json).runTask {
                    try await collection.replaceOne(filter, document, options: replacing)
                }
            }
            result.print(form.form, options.output)
        }
    }

    /// The command `sealite mongo delete`, which deletes the first document that matches a filter, or all of them.
    struct Delete: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete the first document that fulfils a filter, or with --many all of them.",
            discussion: """
                Example: sealite mongo delete notes.db people '{"age": {"$lt": 0}}' --many --key-file notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "The filter.")
        var filter: String?

        @Option("file", help: "Read the filter from this file.")
        var filterFile: String?

        @Flag(help: "Delete all documents that fulfil the filter.")
        var many = false

        @OptionGroup var options: DocumentOptions

        func run() throws {
            var arguments = MongoArguments([filter], place: place, options: options)
            let filter = try arguments.require("filter", file: filterFile).document
            try arguments.requireEnd()
            let many = many
            let result = try place.withCollection(options) { collection in
                try StoppableChange("deleting", json: options.output.json).runTask {
                    many ? try await collection.deleteMany(filter) : try await collection.deleteOne(filter)
                }
            }
            let count = result.deletedCount
            options.output.print("deleted \(count.documents)", json: ["deletedCount": count])
        }
    }
}

extension UpdateResult {
    /// Prints the result; with `--json`, the members have the names that MongoDB's drivers use.
    fileprivate func print(_ form: ExtendedJSONForm, _ output: OutputOptions) {
        let upserted = upsertedID?.extendedJSON(form)
        guard !output.json else {
            return Console.print([
                "matchedCount": matchedCount, "modifiedCount": modifiedCount,
                "upsertedId": upserted.map(JSONValue.json),
            ])
        }
        if let upserted { return Console.print("matched no document, inserted _id \(upserted)") }
        guard matchedCount > 0 else { return Console.print("matched no document") }
        Console.print("matched \(matchedCount.documents), changed \(modifiedCount == 0 ? "none" : "\(modifiedCount)")")
    }
}

extension Int {
    /// The number followed by "document" or "documents".
    var documents: String { counted(self, "document") }
}

/// The options of `sealite mongo update` and `replace`: whether a document is inserted if none matches, and the order
/// by which the first match is chosen.
struct ReplacingOptions: ParsableArguments {
    @Flag(help: "Insert a document if none fulfils the filter; the collection is created if it doesn't exist.")
    var upsert = false

    @Option("json", help: "The sort order by which the first document is chosen.")
    var sort: String?
}
