/// The definition of an index as texts in SQL++, which is the source of its SQL (Documentation/DocumentFormat.md §3.4).
package struct IndexSource: Equatable {
    /// The path to the array whose elements are indexed; nil if documents are indexed.
    package var path: String?
    package var expressions: [String]
    package var condition: String?
    /// The language of a full-text index; nil if it has none, and for other kinds of indexes.
    package var language: String?

    package init(path: String? = nil, expressions: [String], condition: String? = nil) {
        (self.path, self.expressions, self.condition) = (path, expressions, condition)
    }
}

extension IndexSource {
    /// Creates the source from the JSON text that the database stores in its catalogue of indexes.
    ///
    /// - Throws: an error for a text that isn't a JSON object.
    package init(stored: String) throws {
        let members = try DictionaryObject(json: stored)
        path = members.string(forKey: "path")
        expressions = (members.array(forKey: "expressions") ?? []).compactMap(\.string)
        condition = members.string(forKey: "where")
        language = members.string(forKey: "language")
    }

    /// The definition as the JSON text that the database stores in its catalogue of indexes.
    package var stored: String {
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
