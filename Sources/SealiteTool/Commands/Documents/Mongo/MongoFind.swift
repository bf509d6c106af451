import ArgumentParser
import SealiteMongo
import SealiteValues

extension MongoCommand {
    /// The command `sealite mongo find`, which writes the documents that match a filter, one to a line.
    struct Find: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "find",
            abstract: "Write the documents that fulfil a filter, one to a line.",
            discussion: """
                Documents are returned in the order in which they were first inserted, unless --sort is given.

                Example: sealite mongo find notes.db people '{"age": {"$gte": 21}}' --projection '{"name": 1}' \
                --limit 10 --key-file notes.key
                """)

        @OptionGroup var place: MongoTarget
        @OptionGroup var filter: FilterOptions

        @Option("json", help: "The order, such as {\"age\": -1, \"name\": 1}.")
        var sort: String?

        @Option("json", help: "The members to write, such as {\"name\": 1, \"_id\": 0}.")
        var projection: String?

        @Flag(help: "Show the query plan instead of the documents.")
        var explain = false

        @OptionGroup var window: WindowOptions
        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            let filter = try filter.document(place, options)
            let sort = try MongoValue.document("value of --sort", option: sort)
            guard !explain else { return try explain(filter, sort) }
            let find = FindOptions(
                limit: window.limit, projection: try MongoValue.document("value of --projection", option: projection),
                skip: window.skip, sort: sort)
            let form = form.form
            try place.withCollection(options) { collection in
                try stoppable {
                    for try await document in collection.find(filter, options: find) { document.print(form) }
                }
            }
        }

        private func explain(_ filter: MongoDocument, _ sort: MongoDocument) throws {
            let plan = try place.withCollection(options) { collection in
                try stoppable { try await collection.explain(filter, sort: sort) }
            }
            guard !options.output.json else { return Console.print(plan.json) }
            Console.print(plan.description.withoutControls)
            for name in plan.indexesOfQueries {
                Console.print(
                    "the index \(name) is for SQL++ queries; 'sealite mongo index create' makes one for filters"
                        .withoutControls)
            }
        }
    }

    /// The command `sealite mongo count`, which counts the documents that match a filter.
    struct Count: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "count",
            abstract: "Count the documents that fulfil a filter.",
            discussion: """
                With --json the number is the member "count" of an object.

                Example: sealite mongo count notes.db people '{"age": {"$exists": false}}' --key-file notes.key
                """)

        @OptionGroup var place: MongoTarget
        @OptionGroup var filter: FilterOptions
        @OptionGroup var window: WindowOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            let filter = try filter.document(place, options)
            let counting = CountDocumentsOptions(limit: window.limit, skip: window.skip)
            let count = try place.withCollection(options) { collection in
                try ElapsedTime.shown("counting", json: options.output.json) {
                    try stoppable { try await collection.countDocuments(filter, options: counting) }
                }
            }
            options.output.print("\(count)", json: ["count": count])
        }
    }

    /// The command `sealite mongo distinct`, which writes the distinct values at a path in the documents that match a
    /// filter.
    struct Distinct: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "distinct",
            abstract: "Write the distinct values at a path in the documents that fulfil a filter, one per line.",
            discussion: """
                For an array, each of its items counts as a value.

                Example: sealite mongo distinct notes.db people address.city --key-file notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "The path, such as address.city.")
        var path: String

        @OptionGroup var filter: FilterOptions
        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            let filter = try filter.document(place, options)
            let path = path
            let values = try place.withCollection(options) { collection in
                try ElapsedTime.shown("reading", json: options.output.json) {
                    try stoppable { try await collection.distinct(path, filter) }
                }
            }
            for value in values { Console.print(value.extendedJSON(form.form)) }
        }
    }

    /// The command `sealite mongo aggregate`, which runs an aggregation pipeline over the documents of a collection and
    /// writes the results.
    struct Aggregate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "aggregate",
            abstract:
                "Run a pipeline over the documents of a collection, and write the results, one document on each line.",
            discussion: """
                The results of a pipeline that ends with $out or $merge are written to another collection, all or \
                none.

                Example: sealite mongo aggregate notes.db people '[{"$sortByCount": "$address.city"}]' --key-file \
                notes.key
                """)

        @OptionGroup var place: MongoTarget

        @Argument(help: "The pipeline: an array of stages.")
        var pipeline: String?

        @Option("file", help: "Read the pipeline from this file.")
        var pipelineFile: String?

        @OptionGroup var form: ExtendedJSONOptions
        @OptionGroup var options: DocumentOptions

        func run() throws {
            var arguments = MongoArguments([pipeline], place: place, options: options)
            let stages = try arguments.require("pipeline", file: pipelineFile).documents
            try arguments.requireEnd()
            let form = form.form
            // A pipeline that writes is one transaction, and returns no documents.
            let isWriting = ["$out", "$merge"].contains(stages.last?.keys.first)
            try place.withCollection(options) { collection in
                let run = { @Sendable in
                    for try await document in collection.aggregate(stages) { document.print(form) }
                }
                guard isWriting else { return try stoppable(run) }
                try StoppableChange("writing", json: options.output.json).runTask(run)
            }
        }
    }
}

extension FindPlan {
    /// The plan as JSON, for scripts.
    fileprivate var json: JSONValue {
        var members: [(String, JSONValue)] =
            switch access {
            case .scan: [("plan", .text("scan"))]
            case .ids(let count): [("plan", .text("ids")), ("count", count.json)]
            case .index(let name, let count): [("plan", .text("index")), ("index", name.json), ("ranges", count.json)]
            }
        switch sort {
        case nil: break
        case .index: members.append(("sort", .text("index")))
        case .distance: members.append(("sort", .text("distance")))
        case .partlyIndex(let count): members += [("sort", .text("partly index")), ("sortedPaths", count.json)]
        case .blocking: members.append(("sort", .text("blocking")))
        }
        if !indexesOfQueries.isEmpty { members.append(("indexesOfQueries", indexesOfQueries.json)) }
        return .object(members)
    }
}

extension MongoDocument {
    /// Writes the document to standard output as a line of Extended JSON.
    fileprivate func print(_ form: ExtendedJSONForm) { Console.print(extendedJSON(form)) }
}

/// The options that select a range of the matching documents: the number of skipped documents, and the maximum number
/// of results.
struct WindowOptions: ParsableArguments {
    @Option("n", help: "The number of documents to skip.")
    var skip = 0

    @Option("n", help: "The maximum number of documents. Default: no limit.")
    var limit: Int?

    func validate() throws {
        guard skip >= 0 else { throw ValidationError("--skip takes no negative number.") }
        try limit.requirePositive("--limit")
    }
}
