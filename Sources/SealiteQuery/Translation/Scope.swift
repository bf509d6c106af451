internal import SealiteQueryLanguage

/// A source of rows in the query that is being translated.
final class QuerySource {
    /// The rows that a source has.
    enum Kind {
        /// The documents of the collection of a number.
        case documents(Int)
        /// The elements of an array or the members of an object: `value` and `key`.
        case elements
        /// The rows of a subquery, whose columns are c0, c1 and on.
        case rows(columns: [String], isValue: Bool)

        var isElements: Bool { if case .elements = self { true } else { false } }
    }

    /// The name by which expressions refer to the source.
    let name: String
    /// The scope of a collection whose source has no alias.
    let scopeName: String?
    /// The last part of a collection's name where the source has no alias: `coll` of `scope.coll`.
    let shortName: String?
    /// The alias in SQL; empty where columns stand by themselves, as in the expressions of an index.
    let sql: String
    /// The beginning of the names of columns.
    var prefix: String { sql.isEmpty ? "" : "\(sql)." }
    let kind: Kind
    /// The source that the array of elements is in, and the steps to it; nil where it isn't found by names and indexes.
    var container: (source: QuerySource, steps: [PathStep])?
    /// The MATCH conditions of the query by the tables of their indexes, the first of each, for RANK and the like.
    var matches: [(index: TextIndex, query: Tree.Expression)] = []
    /// The way to the documents through the words of an index; nil where there is none.
    var textAccess: TextAccess?
    /// A Boolean value that says whether deleted documents take part, which they do where the query asks for `META().deleted`.
    var hasDeleted = false
    /// A Boolean value that says whether deleted documents take no part even then, since the query finds documents to change.
    var isLiveOnly = false
    /// A Boolean value that says whether expressions over the documents become columns of a table of groups, see ``GroupTable``.
    var isCollecting = false
    /// The expressions that were collected.
    private(set) var collected: [String] = []
    /// The alias in SQL of the table of groups.
    var groupAlias: String { "\(sql)_group" }

    /// The places in the source's values that were asked for last.
    private var places: [Located] = []

    /// The place at the end of steps into the source's whole value, which is the column `column`.
    func place(_ column: String, _ steps: ArraySlice<PathStep>) -> Located {
        if let known = places.first(where: { $0.steps == steps }) { return known }
        let place = Located(base: prefix + column, steps: steps)
        if places.count < 16 { places.append(place) }
        return place
    }

    /// An expression over one document, or its column while expressions are collected.
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

/// The meanings of names at a place of a query: sources, variables, bindings and aliases of results, and those of the query around it.
final class Scope {
    /// A name for the value of an expression, which is translated where the name stands.
    struct Definition {
        let name: String
        let expression: Tree.Expression
        /// The scope in which the expression's own names are looked up.
        let scope: Scope
    }

    let outer: Scope?
    var sources: [QuerySource] = []
    /// The variables of ANY, EVERY and ARRAY, and their SQL.
    var variables: [(name: String, sql: String)] = []
    /// Bindings of LET, and aliases of results where these are visible.
    var definitions: [Definition] = []
    /// The queries that WITH names.
    var commonTables: [CommonTableEntry] = []
    /// A Boolean value that says whether aggregates may stand here.
    var allowsAggregates = false

    init(_ outer: Scope?) { self.outer = outer }

    /// A scope in which `names` are defined besides everything of this one.
    func defining(_ definitions: [Definition]) -> Scope {
        let scope = Scope(outer)
        scope.sources = sources
        scope.variables = variables
        scope.definitions = definitions + self.definitions
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// A scope with one more variable, inside an expression.
    func binding(_ variable: String, to sql: String) -> Scope {
        let scope = Scope(self)
        scope.variables = [(variable, sql)]
        scope.allowsAggregates = allowsAggregates
        return scope
    }

    /// The query that WITH has given a name.
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

/// Comparison of the names that queries give: they aren't case-sensitive.
enum Names {
    static func areSame(_ left: String, _ right: String) -> Bool {
        // The first letters alone tell most names apart.
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
