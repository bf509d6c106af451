internal import SealiteQueryLanguage

/// The meanings of names at a position of a query: sources, variables, bindings of LET and aliases of results, and the
/// names of the enclosing query.
final class Scope {
    /// A name that stands for an expression, which is translated at each use of the name.
    struct Definition {
        let name: String
        let expression: Tree.Expression
        /// The scope in which the names in the expression are resolved.
        let scope: Scope
    }

    let outer: Scope?
    var sources: [QuerySource] = []
    /// The variables of ANY, EVERY and ARRAY, each with the SQL for its value.
    var variables: [(name: String, sql: String)] = []
    /// The bindings of LET, and those aliases of results that are visible here.
    var definitions: [Definition] = []
    /// The queries named by WITH.
    var commonTables: [CommonTableEntry] = []
    /// A Boolean value that says whether aggregates are allowed at this position.
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

    /// Returns a scope with an additional variable, for a part of an expression.
    func binding(_ variable: String, to sql: String) -> Scope {
        let scope = Scope(self)
        scope.variables = [(variable, sql)]
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// Returns the common table with a name; nil if WITH has none.
    func commonTable(_ name: String) -> CommonTableEntry? {
        commonTables.last { Names.areSame($0.name, name) } ?? outer?.commonTable(name)
    }
}
