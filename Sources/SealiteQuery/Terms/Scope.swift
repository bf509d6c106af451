internal import SealiteQueryLanguage

/// The meanings of names at a position of a query: sources, variables, bindings of LET and aliases of results, and the
/// names of the enclosing query.
final class NameScope {
    /// A name that stands for an expression, which is translated at each use of the name.
    struct Definition {
        let name: String
        let expression: Tree.Expression
        /// The scope in which names in the expression are resolved.
        let scope: NameScope

        /// Returns the definition with a scope that allows aggregates and window functions only as far as `place` does,
        /// the scope in which `path` has found the definition.
        func used(by path: Tree.Path, in place: NameScope) -> Definition {
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

    let outer: NameScope?
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

    init(_ outer: NameScope?) { self.outer = outer }

    /// Returns a copy of the scope with additional definitions, which hide existing ones.
    func defining(_ definitions: [Definition]) -> NameScope {
        let scope = NameScope(outer)
        scope.sources = sources
        scope.variables = variables
        scope.definitions = definitions + self.definitions
        scope.allowedCalls = allowedCalls
        scope.alias = alias
        return scope
    }

    /// Returns a copy of the scope in which at most the given functions are allowed.
    func allowing(_ calls: Calls) -> NameScope {
        let scope = defining([])
        scope.allowedCalls = min(allowedCalls, calls)
        return scope
    }

    /// Returns a scope inside this one with a variable of ANY, EVERY or ARRAY, for the part of an expression that can
    /// use it, in which neither aggregates nor window functions are allowed.
    func binding(_ variable: String, to sql: String) -> NameScope {
        let scope = NameScope(self)
        scope.variables = [(variable, sql)]
        scope.alias = alias
        return scope
    }

    /// Returns the query that WITH names so, here or in an enclosing query; nil if there is none.
    func commonTable(_ name: String) -> CommonTableEntry? {
        commonTables.last { CaselessNames.areSame($0.name, name) } ?? outer?.commonTable(name)
    }
}

/// A common table of a query that is being translated: a query to which WITH has given a name.
struct CommonTableEntry {
    let name: String
    let sql: String
    let columns: [String]
    let isValue: Bool
}

/// Compares those names in queries that may be written in any case: aliases, names of LET and WITH, names of sources,
/// and members of META().
enum CaselessNames {
    static func areSame(_ left: String, _ right: String) -> Bool {
        // The first letters suffice to distinguish most names.
        if let a = left.utf8.first, let b = right.utf8.first, a | b < 0x80, lowercased(a) != lowercased(b) {
            return false
        }
        let (a, b) = (left.utf8.span, right.utf8.span)
        var bits: UInt8 = 0
        if a.count == b.count {
            var isSame = true
            for index in a.indices {
                bits |= a[index] | b[index]
                if lowercased(a[index]) != lowercased(b[index]) { isSame = false }
            }
            if bits < 0x80 || isSame { return isSame }
        } else {
            for index in a.indices { bits |= a[index] }
            for index in b.indices { bits |= b[index] }
            if bits < 0x80 { return false }
        }
        return left.lowercased() == right.lowercased()
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte }
}

/// Chooses the names of a result's columns, one after another.
struct ColumnNames {
    private let explicit: Set<String>
    private var given: [String: Int] = [:]
    private var unnamedCount = 0

    init(explicit: [String]) { self.explicit = Set(explicit) }

    /// Returns the name of the next column: its alias; or its natural name, such as that of the property, with a space
    /// and `#2`, `#3` and so on after it if an alias or an earlier column has it; or, for a column without either,
    /// `$1`, `$2` and so on.
    mutating func name(alias: String?, natural: String?) -> String {
        assert(alias.map { explicit.contains($0) } ?? true, "all aliases are known before the first name is chosen")
        if let alias { return alias }
        guard let natural else {
            unnamedCount += 1
            return "$\(unnamedCount)"
        }
        var name = natural
        repeat {
            given[natural, default: explicit.contains(natural) ? 1 : 0] += 1
            let count = given[natural] ?? 1
            name = count == 1 ? natural : "\(natural) #\(count)"
        } while explicit.contains(name)
        return name
    }
}

/// The keys of `META()`, the metadata of a document.
enum MetaKey: String, CaseIterable {
    case id, sequence, deleted, expiration, revisionID, rowid

    init?(_ name: String) {
        guard let key = Self.allCases.first(where: { CaselessNames.areSame($0.rawValue, name) }) else { return nil }
        self = key
    }

    /// Creates the key of `META()` that a property such as `_id` stands for; nil for any other property.
    init?(property: String) {
        guard property.utf8.first == 0x5F, let key = Self.allCases.first(where: { "_\($0.rawValue)" == property })
        else { return nil }
        self = key
    }
}
