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
