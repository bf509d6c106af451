internal import SealiteValues

extension StageKind {
    /// The stages that describe a server. Their specifications are checked; those that would describe what there isn't,
    /// such as the sessions of a server, have no rows, and the others are refused.
    static let catalogs: [StageKind] = [
        .init("$querySettings") { specification, parser in
            try parser.refuse("$querySettings", within: ["$facet"])
            let members = try requireDocument(specification, 7_746_800, "$querySettings takes an object")
            try check(members, of: "$querySettings", booleans: ["showDebugQueryShape"])
            return empty
        },
        .init("$listLocalSessions") { specification, parser in
            try parser.refuse("$listLocalSessions", within: ["$facet"])
            try checkSessions(specification, "$listLocalSessions")
            return empty
        },
        .init("$listSessions") { specification, parser in
            try checkSessions(specification, "$listSessions")
            throw MongoError(code: 73, "$listSessions reads the sessions of a server, which a database doesn't have.")
        },
        .init("$currentOp") { specification, parser in
            try parser.refuse("$currentOp", within: ["$facet"])
            let members = try requireDocument(specification, 14, "$currentOp takes an object")
            try check(
                members, of: "$currentOp",
                booleans: [
                    "allUsers", "idleConnections", "idleCursors", "idleSessions", "localOps", "targetAllNodes",
                    "truncateOps", "backtrace",
                ])
            try require(
                members["targetAllNodes"] != true, 9, "There is one node only, so that $currentOp can't ask all.")
            // Only the pipeline itself is known.
            return FunctionStage { _, run in
                RowCursor([
                    Row([
                        "type": "op", "host": "localhost", "active": true, "op": "command",
                        "currentOpTime": .string(run.options.now.description),
                    ])
                ])
            }
        },
        .init("$listClusterCatalog") { specification, parser in
            try parser.refuse("$listClusterCatalog", within: ["$facet"])
            try require(
                parser.outerStage == nil, 9_621_301, "$listClusterCatalog isn't allowed in a pipeline of another stage."
            )
            let members = try requireDocument(specification, 9_621_302, "$listClusterCatalog takes an object")
            try check(members, of: "$listClusterCatalog", booleans: ["shards", "tracked", "balancingConfiguration"])
            let hasShards = members["shards"] == true
            return FunctionStage { _, run in
                let store = try run.statisticsStore(for: "$listClusterCatalog")
                return run.cursor(
                    try store.collections().map { name in
                        var row: MongoDocument = [
                            "ns": .string("\(store.namespace).\(name)"), "db": .string(store.namespace),
                            "type": "collection", "idIndex": ["v": 2, "key": ["_id": 1], "name": "_id_"],
                            "options": [:], "info": ["readOnly": false], "sharded": false,
                        ]
                        if hasShards { row["shards"] = .array([]) }
                        return Row(row)
                    })
            }
        },
        .init("$queryStats") { _, parser in
            try parser.refuse("$queryStats", within: ["$facet"])
            return FunctionStage { _, _ in
                throw MongoError(code: 20, "$queryStats has no rows, since queries aren't recorded.")
            }
        },
        .init("$changeStream") { _, _ in
            throw MongoError(
                code: 40573, "$changeStream isn't a stage here; MongoCollection.watch returns the changes.")
        },
        .init("$changeStreamSplitLargeEvent") { _, parser in
            try parser.refuse("$changeStreamSplitLargeEvent", within: ["$facet"])
            throw MongoError(code: 7_182_802, "$changeStreamSplitLargeEvent belongs to a $changeStream.")
        },
    ]

    private static let empty = FunctionStage { _, _ in RowCursor([]) }

    /// Throws `MongoError` 40415 for a member that isn't in `booleans`, and 14 for one that isn't a boolean.
    private static func check(_ members: MongoDocument, of stage: String, booleans: Set<String>) throws {
        for member in members {
            try require(booleans.contains(member.key), 40415, "\(stage) doesn't know the member '\(member.key)'.")
            guard case .bool = member.value else {
                throw MongoError.typeMismatch(
                    "\(stage) takes a boolean as '\(member.key)', not \(member.value.type.alias).")
            }
        }
    }

    /// Checks the specification of a stage that lists sessions: `allUsers`, or `users` with objects of `user` and `db`.
    private static func checkSessions(_ specification: BSON, _ stage: String) throws {
        let members = try requireDocument(specification, 14, "\(stage) takes an object")
        var (isForAll, hasUsers) = (false, false)
        for member in members {
            try require(
                ["users", "allUsers"].contains(member.key), 40415, "\(stage) doesn't know the member '\(member.key)'.")
            if member.value == .null { continue }
            if member.key == "allUsers" {
                guard case .bool(let value) = member.value else {
                    throw MongoError.typeMismatch("\(stage) takes a boolean as 'allUsers'.")
                }
                isForAll = value
                continue
            }
            for item in try requireArray(member.value, 14, "\(stage) takes an array as 'users'") where item != .null {
                try checkUser(try requireDocument(item, 14, "\(stage) takes objects in 'users'"), stage)
                hasUsers = true
            }
        }
        try require(!isForAll || !hasUsers, 12, "\(stage) takes either 'allUsers' or 'users'.")
    }

    private static func checkUser(_ user: MongoDocument, _ stage: String) throws {
        for member in user {
            try require(
                ["user", "db"].contains(member.key), 40415, "'users' of \(stage) doesn't know '\(member.key)'.")
            guard member.value != .null else { continue }
            _ = try requireString(member.value, 14, "'users' of \(stage) takes a string as '\(member.key)'")
        }
        for name in ["user", "db"] {
            try require(!(user[name].isNullish), 40414, "'users' of \(stage) needs the member '\(name)'.")
        }
    }
}
