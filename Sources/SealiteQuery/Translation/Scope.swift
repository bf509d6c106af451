internal import SealiteQueryLanguage

/// A source of rows in the query that is being translated.
final class QuerySource {
    /// The kinds of rows of a source.
    enum Kind {
        /// The documents of the collection with a number.
        case documents(Int)
        /// The elements of an array or the members of an object: `value` and `key`.
        case elements
        /// The rows of a subquery, whose columns are c0, c1 and so on.
        case rows(columns: [String], isValue: Bool)

        var isElements: Bool { if case .elements = self { true } else { false } }
    }

    /// The name by which expressions refer to the source.
    let name: String
    /// The scope of a collection, if the source has no alias.
    let scopeName: String?
    /// The last part of a collection's name, if the source has no alias: `coll` for `scope.coll`.
    let shortName: String?
    /// The alias in SQL; empty if columns have no prefix, as in the expressions of an index.
    let sql: String
    /// The prefix of the names of columns.
    var prefix: String { sql.isEmpty ? "" : "\(sql)." }
    let kind: Kind
    /// The source that contains the array of elements, and the steps to the array; nil if it isn't reached by names and
    /// indexes.
    var container: (source: QuerySource, steps: [PathStep])?
    /// The MATCH conditions of the query, the first one for each index, for RANK and the other functions of full-text
    /// search.
    var matches: [(index: TextIndex, query: Tree.Expression)] = []
    /// The access path to the documents through the words of an index; nil if there is none.
    var textAccess: TextAccess?
    /// A Boolean value that says whether deleted documents take part, because the query uses `META().deleted`.
    var hasDeleted = false
    /// A Boolean value that says whether deleted documents never take part, because the query finds documents to
    /// change.
    var isLiveOnly = false
    /// A Boolean value that says whether expressions over the documents become columns of a table of groups, see
    /// ``GroupTable``.
    var isCollecting = false
    /// The expressions that were collected.
    private(set) var collected: [String] = []
    /// The alias in SQL of the table of groups.
    var groupAlias: String { "\(sql)_group" }

    /// The most recently requested positions in the source's values.
    private var places: [Located] = []

    /// Returns the position at the end of steps into the source's whole value, which is the column `column`.
    func place(_ column: String, _ steps: ArraySlice<PathStep>) -> Located {
        if let known = places.first(where: { $0.steps == steps }) { return known }
        let place = Located(base: prefix + column, steps: steps)
        if places.count < 16 { places.append(place) }
        return place
    }

    /// Returns an expression over one document, or its column while expressions are collected.
    func column(_ expression: String) -> String {
        guard isCollecting else { return expression }
        let index = collected.firstIndex(of: expression) ?? collected.count
        if index == collected.count { collected.append(expression) }
        return "\(groupAlias).v\(index)"
    }

    init(_ name: String, sql: String, _ kind: Kind, scopeName: String? = nil, shortName: String? = nil) {
        self.name = name
        self.sql = sql
        self.kind = kind
        self.scopeName = scopeName
        self.shortName = shortName
    }
}

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

/// A query that WITH has given a name.
struct CommonTableEntry {
    let name: String
    let sql: String
    let columns: [String]
    let isValue: Bool
}

/// Compares names in queries, which are case-insensitive.
enum Names {
    static func areSame(_ left: String, _ right: String) -> Bool {
        // The first letters alone distinguish most names.
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
