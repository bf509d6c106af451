internal import SealiteQueryLanguage

/// The meanings of names at a position of a query: sources, variables, bindings and aliases of results, and those of
/// the enclosing query.
final class Scope {
    /// A name for the value of an expression, which is translated where the name is used.
    struct Definition {
        let name: String
        let expression: Tree.Expression
        /// The scope in which the expression's own names are resolved.
        let scope: Scope
    }

    let outer: Scope?
    var sources: [QuerySource] = []
    /// The variables of ANY, EVERY and ARRAY, with their SQL.
    var variables: [(name: String, sql: String)] = []
    /// The bindings of LET, and the visible aliases of results.
    var definitions: [Definition] = []
    /// The queries named by WITH.
    var commonTables: [CommonTableEntry] = []
    /// A Boolean value that says whether aggregates are allowed.
    var allowsAggregates = false

    init(_ outer: Scope?) { self.outer = outer }

    /// Returns a scope with additional definitions.
    func defining(_ definitions: [Definition]) -> Scope {
        let scope = Scope(outer)
        scope.sources = sources
        scope.variables = variables
        scope.definitions = definitions + self.definitions
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// Returns a scope with one more variable, inside an expression.
    func binding(_ variable: String, to sql: String) -> Scope {
        let scope = Scope(self)
        scope.variables = [(variable, sql)]
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// Returns the query that WITH has given a name; nil if there is none.
    func commonTable(_ name: String) -> CommonTableEntry? {
        commonTables.last { Names.areSame($0.name, name) } ?? outer?.commonTable(name)
    }
}
