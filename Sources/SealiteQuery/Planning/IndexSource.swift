internal import SealiteDatabase
internal import SealiteQueryLanguage

/// The definition of an index as texts in SQL++.
struct IndexSource: Equatable {
    /// The path to the array whose elements are indexed; nil if documents are indexed.
    var path: String?
    var expressions: [String]
    var condition: String?
    /// The language of a full-text index; nil if it has none, and for other kinds of indexes.
    var language: String?

    init(path: String? = nil, expressions: [String], condition: String?) {
        self.path = path
        self.expressions = expressions
        self.condition = condition
    }

    init(stored: String) throws {
        let members = try DictionaryObject(json: stored)
        path = members.string(forKey: "path")
        expressions = (members.array(forKey: "expressions") ?? []).compactMap(\.string)
        condition = members.string(forKey: "where")
        language = members.string(forKey: "language")
    }

    /// The definition as the JSON text that the database stores in its catalogue of indexes.
    var stored: String {
        get throws {
            var members = DictionaryObject()
            members["expressions"] = .array(ArrayObject(expressions.map { .string($0) }))
            if let path { members["path"] = .string(path) }
            if let condition { members["where"] = .string(condition) }
            if let language { members["language"] = .string(language) }
            return try members.toJSON()
        }
    }
}
