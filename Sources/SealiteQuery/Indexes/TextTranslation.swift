internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// The SQL definition of a full-text index, translated from its SQL++ expressions, with the settings of its tokenizer.
struct TextTranslation {
    let definition: TextDefinition
    /// The versioned parts of the program, other than functions and the tokenizer, on which the texts and the condition
    /// depend: if one changes, the index has to be rebuilt.
    let components: Set<IndexComponent>

    /// Translates the definition of a full-text index.
    ///
    /// - Throws: `invalidQuery` if a text isn't SQL++ or can't be in an index, `invalidParameter` for an unknown list
    ///   of stop words.
    init(_ config: FullTextIndexConfiguration) throws {
        let trees = try IndexTranslation.trees(config.expressions)
        let condition = try config.where.map { try IndexTranslation.tree($0) }
        do {
            let texts = try trees.map { tree in
                let sql = try IndexTranslation.sql(.documents(0)) { try $0.value($1, $2) }(tree)
                return TextDefinition.Text(name: Self.name(tree), sql: sql)
            }
            let filter = try condition.map { try IndexTranslation.sql(.documents(0)) { try $0.condition($1, $2) }($0) }
            var source = IndexSource(expressions: trees.map { "\($0)" }, condition: condition.map { "\($0)" })
            source.language = config.language
            definition = TextDefinition(
                texts: texts, settings: try Self.settings(config), condition: filter, source: try source.stored)
            components = IndexTranslation.components(trees + [condition].compactMap { $0 })
        } catch let failure as QueryFailure {
            throw failure.error(in: nil)
        }
    }

    /// Returns the name of the index's column for an expression: for a path its text without quotation marks, for any
    /// other expression its SQL++.
    private static func name(_ tree: Tree.Expression) -> String {
        guard case .path(let path) = tree else { return "\(tree)" }
        return path.steps.reduce(path.root) { text, step in
            switch step {
            case .name(let name): "\(text).\(name)"
            case .index(let index): "\(text)[\(index)]"
            case .slice, .star: "\(text)[]"
            }
        }
    }

    private static func settings(_ config: FullTextIndexConfiguration) throws -> WordSettings {
        var settings = WordSettings()
        let language = config.language.map { WordSettings.languageName($0) }
        if config.stemming, let language, WordSettings.algorithms.contains(language) { settings.language = language }
        settings.ignoresAccents = config.ignoreAccents
        settings.keepsWords = config.unstemmedPrefixes
        switch config.stopWords {
        case .automatic: settings.stopWordList = language.flatMap { ["english", "french"].contains($0) ? $0 : nil }
        case .list(let name):
            let found = WordSettings.languageName(name)
            guard WordSettings.stopWordLists.contains(found) else {
                throw DatabaseError(
                    .invalidParameter, "there is no list of stop words for the language \"\(name)\"",
                    hint: "give the stop words themselves; there are lists for "
                        + WordSettings.stopWordLists.sorted().joined(separator: ", "))
            }
            settings.stopWordList = found
        case .words(let words): settings.stopWords = words.isEmpty ? nil : words
        case .none: break
        }
        return settings
    }
}

extension FullTextIndexConfiguration {
    /// Creates a configuration that defines the same index as the one with which an index was created, from what is
    /// stored with the index. Its stop words are those that `automatic` selected.
    init(_ source: IndexSource, _ definition: TextDefinition) {
        let settings = definition.settings ?? WordSettings()
        self.init(
            source.expressions, where: source.condition, ignoreAccents: settings.ignoresAccents,
            language: source.language)
        let isKnown = source.language.map { WordSettings.algorithms.contains(WordSettings.languageName($0)) } ?? false
        stemming = settings.language != nil || !isKnown
        unstemmedPrefixes = settings.keepsWords
        stopWords = settings.stopWordList.map { .list($0) } ?? settings.stopWords.map { .words($0) } ?? .none
    }
}
