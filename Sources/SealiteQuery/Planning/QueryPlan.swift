internal import SealiteDatabase

/// The plan of a query: a tree of steps, outermost first.
public struct QueryPlan: Sendable, Equatable, CustomStringConvertible {
    /// One step of the plan of a query.
    public struct Step: Sendable, Equatable {
        /// The kinds of steps of a plan.
        public enum Kind: String, Sendable {
            /// Reads every document of a source.
            case scan
            /// Looks up documents by their IDs, sequences or row numbers.
            case lookup
            /// Searches an index or a full-text index, or reads all of an index.
            case index
            /// Reads the elements of an array, for UNNEST or a condition such as ANY.
            case elements
            /// Sorts rows.
            case sort
            /// Another kind of step, such as a subquery.
            case other
        }

        /// The kind of the step.
        public let kind: Kind
        /// The source that the step reads: its alias, or the name of its collection; nil if the step reads no
        /// documents.
        public let source: String?
        /// The name of the index that the step uses; nil if it uses none.
        public let index: String?
        /// A phrase that describes the step, such as "search the index byCity".
        public let detail: String
        /// The number of rows that each execution of the step is expected to read: for a scan the greatest row number
        /// of the collection, which is about the number of its documents, for a lookup 1. For an index it is the
        /// average number of rows with equal values in the keys that are compared for equality, from the statistics
        /// that `performMaintenance(type: .fullOptimize)` gathers. Nil if nothing is known.
        public internal(set) var estimatedRowCount: Int?
        /// The number of rows that all executions of the step have read; nil if the query wasn't run or counting the
        /// rows would change its plan, and for steps that don't read a table.
        public internal(set) var readRowCount: Int?
        /// The steps that are nested in this step, such as those of a subquery.
        public internal(set) var steps: [Step]
        /// The alias in SQL of the table that the step reads; empty if it reads none.
        let alias: String
    }

    /// The top-level steps of the plan.
    public internal(set) var steps: [Step]
    /// The indexes that would make the query faster.
    public let suggestions: [IndexSuggestion]
    /// Sentences that describe the indexes that would make the query faster.
    public var advice: [String] { suggestions.map(\.description) }
    /// The SQL that the query is translated to.
    public let sql: String
    /// The measured work of one execution of the query; nil if it wasn't run.
    public internal(set) var measurement: QueryMeasurement?

    /// A Boolean value that says whether a step reads every document of a source.
    public var hasScan: Bool {
        func scans(_ steps: [Step]) -> Bool { steps.contains { $0.kind == .scan || scans($0.steps) } }
        return scans(steps)
    }

    /// Calls a closure that may change a step with each step of the plan, including nested ones.
    mutating func changeSteps(_ change: (inout Step) throws -> Void) rethrows {
        func walk(_ steps: inout [Step]) throws {
            for index in steps.indices {
                try change(&steps[index])
                try walk(&steps[index].steps)
            }
        }
        try walk(&steps)
    }

    /// The plan as an indented list of its steps, followed by the measurement and the advice.
    public var description: String {
        var lines: [String] = []
        func add(_ steps: [Step], _ indent: String) {
            for step in steps {
                lines.append(indent + step.detail + step.counts)
                add(step.steps, indent + "  ")
            }
        }
        add(steps, "")
        return (lines + [measurement?.description].compactMap { $0 } + advice).joined(separator: "\n")
    }

    /// The plan as JSON text.
    package var json: String {
        func object(_ step: Step) -> Value {
            var members = DictionaryObject([("kind", .string(step.kind.rawValue)), ("detail", .string(step.detail))])
            members["source"] = step.source.map { .string($0) }
            members["index"] = step.index.map { .string($0) }
            members["estimatedRows"] = step.estimatedRowCount.map { .number(Number($0)) }
            members["readRows"] = step.readRowCount.map { .number(Number($0)) }
            if !step.steps.isEmpty { members["steps"] = .array(ArrayObject(step.steps.map(object))) }
            return .dictionary(members)
        }
        var plan = DictionaryObject([
            ("steps", .array(ArrayObject(steps.map(object)))),
            ("advice", .array(ArrayObject(advice.map { .string($0) }))),
        ])
        plan["measured"] = measurement.map { .dictionary($0.members) }
        return (try? plan.toJSON()) ?? "{}"
    }

    /// Creates the plan of a query from SQLite's plan of its SQL statement. <https://sqlite.org/eqp.html>
    init(_ database: Database, _ sql: String, _ names: PlanNames) throws {
        var rows: [(id: Int64, parent: Int64, detail: String)] = []
        try database.readRows("EXPLAIN QUERY PLAN " + sql, isKept: false) { row in
            rows.append((row.int64(at: 0), row.int64(at: 1), row.text(at: 3)))
        }
        var scanned: Set<String> = []
        func children(_ parent: Int64) -> [Step] {
            rows.filter { $0.parent == parent }.map { row in
                var step = Step(row.detail, names)
                if step.kind == .scan, !scanned.insert(step.alias).inserted {
                    step = Step(.other, "read the documents that remain if the memory for counting groups is full")
                }
                step.steps = children(row.id)
                return step
            }
        }
        steps = children(0) + names.notes.map { Step(.other, $0) }
        suggestions = names.suggestions
        self.sql = sql
        try estimate(database, names)
    }
}

extension QueryPlan.Step {
    fileprivate init(_ kind: Kind, _ detail: String, source: String? = nil, index: String? = nil, alias: String = "") {
        (self.kind, self.detail, self.source, self.index) = (kind, detail, source, index)
        (self.alias, steps) = (alias, [])
    }

    /// Creates a step from a line of SQLite's plan.
    fileprivate init(_ line: String, _ names: PlanNames) {
        let words = line.split(separator: " ").map(String.init)
        let isScan = words.first == "SCAN"
        let alias = words.count > 1 && (isScan || words.first == "SEARCH") ? words[1] : ""
        if let name = names.index(of: alias) {
            self.init(.index, "\(isScan ? "read all of" : "search") the index \(name)", index: name, alias: alias)
        } else if let name = names.textIndexes[alias] {
            self.init(.index, "search the words of the index \(name)", index: name, alias: alias)
        } else if let (name, lists) = names.vectorSearches[alias] {
            self.init(.index, "search the vectors of the index \(name): \(lists)", index: name, alias: alias)
        } else if let name = names.sources[alias] {
            // The row numbers of documents that aren't deleted are positive, so this range contains all of these
            // documents.
            let isWhole = isScan || line.hasSuffix("(rowid>?)")
            let detail = isWhole ? "read every document of \(name)" : "look documents of \(name) up"
            self.init(isWhole ? .scan : .lookup, detail, source: name, alias: alias)
        } else if line.contains("VIRTUAL TABLE") {
            self.init(.elements, "read the elements of an array", alias: alias)
        } else if line.hasPrefix("USE TEMP B-TREE") {
            self.init(.sort, "sort rows: \(line.dropFirst("USE TEMP B-TREE FOR ".count))", alias: alias)
        } else if line == "SCAN CONSTANT ROW" {
            self.init(.other, "make one row, without reading documents", alias: alias)
        } else {
            self.init(.other, line.lowercased(), alias: alias)
        }
    }
}
