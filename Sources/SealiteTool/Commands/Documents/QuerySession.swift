import SealiteDatabase
import SealiteQuery
import SealiteQueryLanguage

/// The database for queries, and the output for their rows.
struct QuerySession {
    let database: Database
    let parameters: Parameters
    var format: RowFormat
    var rowLimit: Int?
    /// A Boolean value that says whether queries are explained instead of executed.
    let explains: Bool
    /// A Boolean value that says whether explained queries are also executed and measured.
    var measures = false

    /// Runs a statement. A signal stops it, and its changes are rolled back. Once they are committed, the statement is
    /// done: a signal no longer ends it.
    ///
    /// With `isOnly`, it is the command's only statement: a parameter that the statement doesn't have is an error, and
    /// later signals don't change the command's outcome. Otherwise each of several statements uses the parameters that
    /// it has.
    func run(_ text: String, isOnly: Bool = false) throws {
        let query = try database.createQuery(text)
        query.parameters = isOnly ? parameters : try ownParameters(of: query)
        query.rowLimit = rowLimit
        if !explains || measures { try query.requireValues(in: query.parameters ?? Parameters()) }
        if explains { return print(try query.explain(measuring: measures)) }
        guard try !query.changesDocuments else { return try change(query, isOnly: isOnly) }
        let (stopped, stop, running) = (StoppingSignal(), TaskStop(), Running())
        let cancel = { @Sendable in
            stop.cancel()
            running.cancel()
        }
        try stopped.ending(stop: cancel) {
            let results = try waiting(stoppedBy: stop) { try await query.execute() }
            defer { results.close() }
            running.set(results)
            try write(results, until: stopped)
        }
        if let number = stopped.number { throw EndedBySignal(number: number) }
    }

    private func change(_ query: SealiteQuery.Query, isOnly: Bool) throws {
        var change = StoppableChange("changing", json: format == .json)
        change.isLast = isOnly
        if !isOnly { change.effect = { "the statement changed nothing" } }
        let results = try change.runTask { try await query.execute() }
        try write(results, until: nil)
        if !isOnly, let number = change.signal {
            throw EndedBySignal(number: number, effect: "the statement that was running is done, and no other was run")
        }
    }

    /// Writes the plan of a query.
    func explain(_ text: String) throws { print(try database.createQuery(text).explain()) }

    /// Runs the statements from standard input until the first failure.
    func runScript() throws {
        try Script.run(isComplete: StatementText.isComplete) { text, line in
            do {
                for statement in StatementText.statements(in: text) { try run(statement) }
            } catch let signal as EndedBySignal {
                throw signal
            } catch {
                throw ToolError(any: error).inStatement(atLine: line)
            }
        }
    }

    private func ownParameters(of query: SealiteQuery.Query) throws -> Parameters {
        let values = Parameters()
        for name in try query.parameterNames {
            if let value = parameters.value(forName: name) { values.setValue(value, forName: name) }
        }
        return values
    }

    private func write(_ results: ResultSet, until stopped: StoppingSignal?) throws {
        guard !results.columnNames.isEmpty else { return print(changed: results.changedDocumentCount) }
        let printer = format.makePrinter(leavesOutNone: true, isValue: results.isValue)
        printer.begin(columns: results.columnNames)
        defer { printer.end() }
        while stopped?.number == nil, let row = try results.nextResult() { printer.row(try row.cells) }
    }

    private func print(changed count: Int) {
        let object: JSONValue = ["changed": count]
        Console.print(format == .json ? object.encoded : "changed \(counted(count, "document"))")
    }

    private func print(_ plan: QueryPlan) {
        Console.print(format == .json ? plan.json : plan.description)
        guard format != .json else { return }
        for suggestion in plan.suggestions { Console.print("  " + suggestion.command.withoutControls) }
    }
}

extension ToolError {
    /// Returns the error with the number of the line on which the statement begins, counted from 1.
    fileprivate func inStatement(atLine line: Int) -> ToolError {
        saying("in the statement that begins on line \(line): \(message)")
    }
}

extension IndexSuggestion {
    /// The command that creates the suggested index, which is named after the last property that it covers.
    fileprivate var command: String {
        let text = expressions.last ?? path ?? ""
        // Neither a number nor the name of a function says what is in the index.
        let last = text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.last { word in
            word.first?.isNumber == false && !text[word.endIndex...].hasPrefix("(")
        }
        let keys = (path.map { ["--array", $0] } ?? []) + expressions.flatMap { ["--on", $0] }
        let place =
            collectionName == Database.defaultCollectionName ? [] : ["--collection", "\(scopeName).\(collectionName)"]
        return
            (["sealite index create DATABASE", last.map(String.init) ?? "NAME"] + (keys + place).map(\.shellArgument))
            .joined(separator: " ")
    }
}

extension SealiteQuery.Query {
    /// Refuses a query with a parameter that has no value: a condition with such a parameter would match no document,
    /// and no error would say why.
    func requireValues(in parameters: Parameters) throws {
        let names = try parameterNames
        // If a parameter was given that the query doesn't have, its name is likely to be the misspelt name of the
        // missing parameter; the query reports it.
        guard parameters.names.allSatisfy(names.contains),
            let name = names.first(where: { parameters.value(forName: $0) == nil })
        else { return }
        throw ToolError(
            .usage, code: "invalid-parameter", "the parameter $\(name) has no value",
            hint: "give it with --param \(name.shellArgument)=VALUE")
    }
}

extension Result {
    /// The values of the row's columns in the form that the tool writes.
    var cells: [RowCell] {
        get throws {
            try texts().map { cell in
                switch cell {
                case .missing: .none
                case .number(let text): .number(text)
                case .text(let text): .text(text)
                case .json(let text): .json(text)
                }
            }
        }
    }
}
