import SealiteDatabase
import SealiteReplicator

/// The collections that `sealite sync` syncs: those that were named, or all of the local database that the remote has.
struct SyncedCollections {
    private let configuration: ReplicatorConfiguration
    private let isChosen: Bool
    private let reporter: SyncReporter

    /// Creates the collections of a configuration; `isChosen` says whether the command line names them.
    init(_ configuration: ReplicatorConfiguration, isChosen: Bool, output: OutputOptions) {
        self.configuration = configuration
        self.isChosen = isChosen
        reporter = SyncReporter(json: output.json)
    }

    func run(reset: Bool) throws {
        var configuration = configuration
        let limit = ReplicatorConfiguration.maximumCollectionCount
        guard configuration.collections.count <= limit else {
            throw ToolError.usage(
                "one sync takes at most \(limit) collections, and the database has \(configuration.collections.count)",
                hint: "name some of them with --collection, and sync the others in further runs")
        }
        configuration.asksForCollections = !isChosen
        guard !isChosen else {
            _ = try SyncRun(configuration, reporter: reporter).run(reset: reset)
            return
        }
        reporter.names = Names(here: configuration.collections.map { Self.name($0.collection) })
        let first = try SyncRun(configuration, reporter: reporter)
        // If there is only one collection and the remote lacks it, the run itself reports the remote's error.
        let mayLack = configuration.collections.count > 1
        if try first.run(reset: reset, mayLackCollections: mayLack) { return }
        let missing = Set(first.missingCollections)
        let kept = configuration.collections.indices.filter { !missing.contains($0) }
        guard !kept.isEmpty else {
            throw ToolError(
                .noInput, code: "no-such-collection", "the remote has none of the database's collections",
                hint:
                    "name a collection of the remote with --collection; 'sealite collection list' lists those of the database"
            )
        }
        configuration.collections = kept.map { configuration.collections[$0] }
        reporter.names?.synced = configuration.collections.map { Self.name($0.collection) }
        _ = try SyncRun(configuration, reporter: reporter).run(reset: reset)
    }

    private static func name(_ collection: Collection) -> String {
        CollectionName(scope: collection.scopeName, name: collection.name).description
    }

    /// The names of collections that are reported once a session has begun.
    struct Names: Sendable {
        /// The collections of the local database.
        let here: [String]
        /// The collections that are synced; all of the local database unless the remote lacks some.
        var synced: [String]

        init(here: [String]) {
            self.here = here
            synced = here
        }
    }
}
