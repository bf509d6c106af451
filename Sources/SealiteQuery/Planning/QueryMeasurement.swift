internal import SealiteDatabase

/// The measured work of one execution of a query.
public struct QueryMeasurement: Sendable, Equatable, CustomStringConvertible {
    /// The number of rows of the result.
    public let rowCount: Int
    /// The number of pages that were read from the file, decrypted and authenticated; the other requested pages were in
    /// the connection's cache.
    public let openedPageCount: Int
    /// The number of times that a page of the file was requested, whether it was in the cache or not.
    public let requestedPageCount: Int
    /// The time from the start of the execution to the last row.
    public let duration: Duration

    /// A sentence about the execution, with all its figures.
    public var description: String {
        let milliseconds = duration / .milliseconds(1)
        let time = milliseconds < 10 ? "\((milliseconds * 1000).rounded() / 1000)" : "\(Int(milliseconds.rounded()))"
        return
            "\(rowCount) \(rowCount == 1 ? "row" : "rows") in \(time) ms; \(openedPageCount) pages opened, "
            + "\(requestedPageCount - openedPageCount) found in the cache"
    }

    /// The figures of the measurement as members of a JSON object.
    var members: DictionaryObject {
        DictionaryObject([
            ("rows", .number(Number(rowCount))), ("openedPages", .number(Number(openedPageCount))),
            ("requestedPages", .number(Number(requestedPageCount))),
            ("milliseconds", .number(Number(duration / .milliseconds(1)))),
        ])
    }
}

extension QueryPlan {
    /// Adds to the steps of the plan the numbers of rows that each is expected to read, from statistics and without
    /// running the query.
    mutating func estimate(_ database: Database, _ names: PlanNames) throws {
        try changeSteps { step in
            switch names.reads[step.alias] {
            case .documents(let collection) where step.kind == .scan:
                step.estimatedRowCount = Int(try database.greatestDocumentNumber(ofCollection: collection))
            case .documents: step.estimatedRowCount = 1
            case .index(let index, let equalCount):
                let statistics = try database.statistics(ofTable: index.table, equalCount: equalCount)
                step.estimatedRowCount = statistics.map { Int($0.equalRows) }
            case nil: break
            }
        }
    }

    /// Runs the query, in the form of a statement that counts the rows it visits, and adds the measurement to the plan.
    /// The numbers of rows that the steps have read are left out if counting them changes SQLite's plan.
    mutating func measure(_ database: Database, _ counting: VisitingStatement, _ parameters: Parameters?) throws {
        let isSameWay = try Self.lines(database, sql) == Self.lines(database, counting.sql)
        let asked = counting.parameters
        let values = try Parameters.values(parameters, asked, database.configuration.time)
        let position = asked.firstIndex(of: .visits)
        assert(
            (position == nil) == counting.aliases.isEmpty,
            "a statement that counts rows has the counters as a parameter")
        let others = asked.indices.filter { $0 != position }
        assert(others.count == values.count, "each parameter but the counters is bound")
        let measured = try database.measure(
            counting.sql, visitCount: counting.aliases.count, visitPosition: (position ?? 0) + 1
        ) { statement in
            for (index, value) in zip(others, values) { value.bind(statement, at: CInt(index + 1)) }
        }
        measurement = QueryMeasurement(
            rowCount: measured.rowCount, openedPageCount: measured.openedPageCount,
            requestedPageCount: measured.pageRequestCount, duration: measured.duration)
        assert(measured.visits.count == counting.aliases.count, "each counted table has a counter")
        guard isSameWay else { return }
        changeSteps { step in
            let counters = counting.aliases.indices.filter { counting.aliases[$0] == step.alias }
            if !counters.isEmpty { step.readRowCount = counters.reduce(0) { $0 + Int(measured.visits[$1]) } }
        }
    }

    private static func lines(_ database: Database, _ sql: String) throws -> [String] {
        var lines: [String] = []
        try database.readRows("EXPLAIN QUERY PLAN " + sql, isKept: false) { lines.append($0.text(at: 3)) }
        return lines
    }
}

extension QueryPlan.Step {
    /// The numbers of rows that the step is expected to read and has read, as text for the list of steps; empty if
    /// neither is known.
    var counts: String {
        let parts = [
            estimatedRowCount.map { "about \($0) expected" }, readRowCount.map { "\($0) read" },
        ].compactMap { $0 }
        return parts.isEmpty ? "" : " (rows: \(parts.joined(separator: ", ")))"
    }
}

/// A query as an SQL statement that counts the rows that it visits in each table.
struct VisitingStatement {
    let sql: String
    /// The parameters, in the order of their numbers in SQL, including the one for the counters of visited rows.
    let parameters: [StatementParameter]
    /// The aliases of the tables in SQL, in the order of the counters.
    let aliases: [String]
}
