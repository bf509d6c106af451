internal import SealiteDatabase
internal import SealiteQueryLanguage

/// A source of rows in the query that is being translated.
final class QuerySource {
    /// The kinds of rows that a source of a query has.
    enum Kind {
        /// The documents of a collection. The associated value is the collection's number.
        case documents(Int)
        /// The elements of an array or the members of an object, in the columns `value` and `key`.
        case elements
        /// The rows of a subquery, whose columns are c0, c1 and so on.
        case rows(columns: [String], isValue: Bool)

        var isElements: Bool { if case .elements = self { true } else { false } }
    }

    /// The name by which expressions refer to the source: its alias or the name of the collection; nil if no name
    /// refers to it.
    let name: String?
    /// The name of a result's column that has the whole source: its alias, or the name of the collection without its
    /// scope; nil if the source has no name.
    var columnName: String?
    /// The name of the collection's scope; nil if the source has an alias or isn't a collection.
    let scopeName: String?
    /// The collection's name without its scope, `coll` for `scope.coll`, if the query writes another name and no alias;
    /// otherwise nil.
    let shortName: String?
    /// The source's alias in SQL; empty if columns have no prefix, as in the expressions of an index.
    let sql: String
    /// The source's alias in SQL with a dot, which precedes the names of its columns; empty if there is no alias.
    var prefix: String { sql.isEmpty ? "" : "\(sql)." }
    let kind: Kind
    /// For UNNEST, the source that contains the array of elements, and the steps to the array; nil if the array isn't
    /// reached by names and indexes.
    var container: (source: QuerySource, steps: [PathStep])?
    /// A Boolean value that says whether the source is that of LEFT UNNEST: an array without elements has one row, in
    /// which the element is MISSING.
    var isLeftUnnest = false
    /// The MATCH conditions of the query on the source, to which RANK and the other functions of full-text search
    /// refer; only the first one for each index.
    var matches: [(index: TextIndex, query: Tree.Expression)] = []
    /// The access path through the words of a full-text index; nil if there is none.
    var textAccess: TextAccess?
    /// The search by vectors through which documents are found or compared; nil if there is none.
    var vectorSearch: VectorSearch?
    /// A Boolean value that says whether deleted documents take part, because the query uses `META().deleted`.
    var hasDeleted = false
    /// A Boolean value that says whether deleted documents never take part, because the query finds documents to
    /// change.
    var isLiveOnly = false
    /// A Boolean value that says whether expressions over the documents become columns of a group table, see
    /// `GroupTable`.
    var isCollecting = false
    /// The SQL of the expressions that are the columns of the group table.
    private(set) var collected: [String] = []
    /// The alias of the group table in SQL.
    var groupAlias: String { "\(sql)_group" }

    /// A cache of paths into the source's values that were translated before.
    private var places: [Located] = []

    /// Returns whether a name in an expression is that of the source.
    func isNamed(_ name: String) -> Bool { self.name.map { CaselessNames.areSame($0, name) } ?? false }

    /// Returns the value, in SQL, to which steps lead from the SQL column `column`, which has the source's whole value.
    func place(_ column: String, _ steps: ArraySlice<PathStep>) -> Located {
        if let known = places.first(where: { $0.steps == steps }) { return known }
        let place = Located(base: prefix + column, steps: steps)
        if places.count < 16 { places.append(place) }
        return place
    }

    /// Returns the SQL for an expression over one document, which is given as SQL: the same SQL or, while
    /// `isCollecting` is true, the column of the group table that stands for the expression and is added if it is new.
    func column(_ expression: String) -> String {
        guard isCollecting else { return expression }
        let index = collected.firstIndex(of: expression) ?? collected.count
        if index == collected.count { collected.append(expression) }
        return "\(groupAlias).v\(index)"
    }

    init(
        _ name: String?, sql: String, _ kind: Kind, columnName: String? = nil, scopeName: String? = nil,
        shortName: String? = nil
    ) {
        self.name = name
        self.columnName = columnName ?? name
        self.sql = sql
        self.kind = kind
        self.scopeName = scopeName
        self.shortName = shortName
    }
}

/// The collections that a query can name, and their indexes.
protocol QueryCatalogue {
    /// Returns the number of a collection, which is part of the names of its SQL tables, the name of its scope and its
    /// name; nil if there is no such collection. `scope` is nil if the query names no scope.
    ///
    /// - Throws: `QueryFailure` for an invalid name.
    func collection(scope: String?, name: String) throws -> (number: Int, scope: String, name: String)?

    /// Returns the indexes over values and elements of a collection that queries can use.
    func indexes(ofCollection number: Int) throws -> [PlannedIndex]

    /// Returns the full-text indexes of a collection that are ready for use.
    func textIndexes(ofCollection number: Int) throws -> [TextIndex]

    /// Returns the vector indexes of a collection that are ready for use.
    func vectorIndexes(ofCollection number: Int) throws -> [VectorIndex]

    /// Returns the indexes on geometries of a collection that are ready for use.
    func geometryIndexes(ofCollection number: Int) throws -> [GeometryIndex]
}
