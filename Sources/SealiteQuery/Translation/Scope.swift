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

        /// Returns the definition with a scope that allows aggregates and window functions only as far as `place` does,
        /// the scope in which `path` has found the definition.
        func used(by path: Tree.Path, in place: Scope) -> Definition {
            guard place.allowedCalls < scope.allowedCalls else { return self }
            let restricted = scope.allowing(place.allowedCalls)
            restricted.alias = path
            return Definition(name: name, expression: expression, scope: restricted)
        }
    }

    /// The functions that are allowed at a position, each case in addition to the previous ones.
    enum Calls: Comparable {
        case scalar
        case aggregates
        case windows
    }

    let outer: Scope?
    var sources: [QuerySource] = []
    /// The variables of ANY, EVERY and ARRAY, each with the SQL for its value.
    var variables: [(name: String, sql: String)] = []
    /// The bindings of LET, and those aliases of results that are visible here.
    var definitions: [Definition] = []
    /// The queries named by WITH.
    var commonTables: [CommonTableEntry] = []
    /// The functions that are allowed at this position.
    var allowedCalls = Calls.scalar
    /// For error messages: the path that uses the alias of a result, while the result's expression is translated for
    /// this path in a clause in which fewer functions are allowed than in the results; nil at any other time.
    var alias: Tree.Path?
    /// A Boolean value that says whether an aggregate or a window function was translated in this scope.
    var hasAggregates = false

    init(_ outer: Scope?) { self.outer = outer }

    /// Returns a copy of the scope with additional definitions, which hide existing ones.
    func defining(_ definitions: [Definition]) -> Scope {
        let scope = Scope(outer)
        scope.sources = sources
        scope.variables = variables
        scope.definitions = definitions + self.definitions
        scope.allowedCalls = allowedCalls
        scope.alias = alias
        return scope
    }

    /// Returns a copy of the scope in which at most the given functions are allowed.
    func allowing(_ calls: Calls) -> Scope {
        let scope = defining([])
        scope.allowedCalls = min(allowedCalls, calls)
        return scope
    }

    /// Returns a scope inside this one with a variable of ANY, EVERY or ARRAY, for the part of an expression that can
    /// use it, in which neither aggregates nor window functions are allowed.
    func binding(_ variable: String, to sql: String) -> Scope {
        let scope = Scope(self)
        scope.variables = [(variable, sql)]
        scope.alias = alias
        return scope
    }

    /// Returns the query that WITH names so, here or in an enclosing query; nil if there is none.
    func commonTable(_ name: String) -> CommonTableEntry? {
        commonTables.last { Names.areSame($0.name, name) } ?? outer?.commonTable(name)
    }
}
