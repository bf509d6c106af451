internal import FoundationEssentials
package import SealiteFunctions

/// The definition of an index of the kind `text`: the texts of a document, the tokenizer, and the condition
/// (Documentation/DocumentFormat.md §3.7).
package struct TextDefinition: IndexDefinition, Codable, Equatable {
    /// A text of a document that the index contains as one column.
    package struct Text: Codable, Sendable, Equatable {
        /// The name by which queries select the column.
        package var name: String
        /// An SQL expression over `id` and `body` that yields a query value, whose strings are the text.
        package var sql: String

        /// Creates a text with the name of its column and its SQL expression.
        package init(name: String, sql: String) { (self.name, self.sql) = (name, sql) }
    }

    /// The greatest number of texts that an index can have.
    package static let maximumTextCount = 32

    /// The indexed texts of a document, at least one and at most 32.
    package let texts: [Text]
    /// The arguments of the tokenizer, such as `language english prefixes off`.
    package let tokenizer: String
    /// The condition, an SQL expression over `id` and `body`; nil if every live document is in the index.
    package let condition: String?
    /// The source text of the definition, for the caller that created the index; this module doesn't interpret it.
    package let source: String?

    /// Creates a definition with the settings of the tokenizer.
    package init(texts: [Text], settings: WordSettings, condition: String? = nil, source: String? = nil) {
        self.texts = texts
        tokenizer = settings.text
        self.condition = condition
        self.source = source
    }

    package var kind: IndexKind { .text }
    package var form: IndexForm { .text(self) }

    package var ownComponents: Set<IndexComponent> {
        settings?.language == nil ? [.texts, .words] : [.texts, .words, .stemmer]
    }

    /// The settings of the tokenizer; nil if this program doesn't know them.
    package var settings: WordSettings? { try? WordSettings(text: tokenizer) }

    // MARK: - The stored form

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case texts, tokenizer, source
        case condition = "where"
    }

    /// Creates a definition from the JSON text by which the catalogue of indexes stores it.
    ///
    /// - Throws: an error for a definition that this program doesn't know, because such a definition may index other
    ///   words.
    package init(stored: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(stored.utf8))
        let names = try JSONDecoder().decode([String: Anything].self, from: Data(stored.utf8)).keys
        guard names.allSatisfy({ CodingKeys(rawValue: $0) != nil }), (1...Self.maximumTextCount).contains(texts.count),
            // The text becomes a part of SQL.
            let settings, settings.text == tokenizer,
            SQLExpressions.areAllowed(texts.map(\.sql) + (condition.map { [$0] } ?? []), over: ["id", "body"])
        else {
            throw DatabaseError(
                .corruptData, "the stored definition of a full-text index has a form that this program doesn't know")
        }
    }

    private struct Anything: Decodable { init(from decoder: any Decoder) throws {} }
}
