internal import SealiteQueryLanguage

/// The meanings of names at a position of a query: sources, variables, bindings of LET and aliases of results, and the
/// names of the enclosing query.
final class Scope {
    /// A name that stands for an expression, which is translated at each use of the name.
    struct Definition {
        let name: String
        let expression: Tree.Expression
        /// The scope in which names in the expression are resolved.
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

    /// Returns a copy of the scope with additional definitions, which hide existing ones.
    func defining(_ definitions: [Definition]) -> Scope {
        let scope = Scope(outer)
        scope.sources = sources
        scope.variables = variables
        scope.definitions = definitions + self.definitions
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// Returns a scope inside this one with a variable of ANY, EVERY or ARRAY, for the part of an expression that can
    /// use it.
    func binding(_ variable: String, to sql: String) -> Scope {
        let scope = Scope(self)
        scope.variables = [(variable, sql)]
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// Returns the query that WITH names so, here or in an enclosing query; nil if there is none.
    func commonTable(_ name: String) -> CommonTableEntry? {
        commonTables.last { Names.areSame($0.name, name) } ?? outer?.commonTable(name)
    }
}
