import SealiteDatabase
import SealiteQuery
import SealiteQueryLanguage

/// The session of the prompt of `sealite query`: runs SQL++ and the prompt's commands, such as `.collections`.
final class QueryPrompt: PromptSession {
    private var session: QuerySession
    private var database: Database { session.database }

    init(_ session: QuerySession) { self.session = session }

    var format: RowFormat {
        get { session.format }
        set { session.format = newValue }
    }

    func isComplete(_ text: String) -> Bool { StatementText.isComplete(text) }

    func run(_ text: String) throws {
        for statement in StatementText.statements(in: text) {
            current = statement
            try session.run(statement)
        }
    }

    // MARK: - Errors

    /// The most recent statement.
    private var current = ""

    func explained(_ error: ToolError, in statement: String) -> String {
        (ErrorLocation(ofMessage: error.message)?.pointer(in: current) ?? "") + error.text
    }

    // MARK: - Commands

    var commands: [PromptCommand] {
        [
            PromptCommand(name: ".collections", help: "the collections and their documents") { [self] _ in
                try showCollections()
            },
            PromptCommand(name: ".tables", help: "the same as .collections") { [self] _ in try showCollections() },
            PromptCommand(name: ".indexes", help: "the indexes") { [self] _ in try showIndexes() },
            PromptCommand(name: ".explain", arguments: "QUERY", help: "how a query is run") { [self] in
                guard !$0.isEmpty else { throw ToolError.usage(".explain takes a query") }
                try session.explain($0)
            },
        ]
    }

    private func showCollections() throws {
        for collection in try database.statistics().collections {
            Console.print("\(collection.fullName.withoutControls)  \(counted(collection.documentCount, "document"))")
        }
    }

    private func showIndexes() throws {
        for scope in try database.scopes() {
            for collection in try scope.collections() {
                for name in try collection.indexes() {
                    Console.print("\(collection.fullName)  \(name)".withoutControls)
                }
            }
        }
    }

    // MARK: - Completion

    func completion(of text: String) -> Completion? {
        guard let word = TypedWord(atEndOf: text) else { return nil }
        // A name that starts with a backquote gets a closing one.
        let isQuoted = word.text.hasPrefix("`")

        func written(_ names: [String]) -> [String] {
            names.filter { $0.hasPrefix(word.name) }.map { isQuoted ? "`\($0)`" : StatementText.name($0) }
        }
        switch word.place {
        case .member(let scope): return Completion(typed: word.text, candidates: written(collections(in: scope)))
        case .source: return Completion(typed: word.text, candidates: written(sources) + scopes(word.name))
        case .anywhere:
            let known = isQuoted ? [] : TypedWord.known.completing(word.text)
            return Completion(typed: word.text, candidates: known + written(sources) + scopes(word.name))
        }
    }

    /// The names of the default scope's collections, which are completed without a scope. A collection of another scope
    /// is completed only after its scope's name and a dot.
    private var sources: [String] { collections(in: Database.defaultScopeName) }

    private func scopes(_ start: String) -> [String] {
        let names = (try? database.scopes().map(\.name)) ?? []
        return names.filter { $0 != Database.defaultScopeName && $0.hasPrefix(start) }
            .map { StatementText.name($0) + "." }
    }

    private func collections(in scope: String) -> [String] {
        (try? database.collections(scope: scope).map(\.name)) ?? []
    }
}
