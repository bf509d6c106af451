internal import SealiteDatabase
internal import SealiteFunctions
internal import SealiteQueryLanguage

/// The SQL definition of an index, translated from its SQL++ expressions and condition.
struct IndexTranslation {
    /// The functions whose results depend on Unicode's tables of letters and white space, which may differ between
    /// versions of the program.
    private static let lettered: Set = ["LOWER", "UPPER", "TRIM", "LTRIM", "RTRIM"]

    let definition: KeyDefinition
    /// The versioned parts of the program, other than functions, on which the keys and the condition depend: if one
    /// changes, the index has to be rebuilt.
    let components: Set<IndexComponent>

    /// Translates the definition of an index over documents.
    ///
    /// - Throws: `invalidQuery` if a text isn't SQL++ or can't be in an index.
    init(_ config: ValueIndexConfiguration) throws {
        let trees = try Self.trees(config.expressions)
        let condition = try config.where.map { try Tree.expression($0) }
        do {
            let keys = try trees.map { try Self.key($0, .documents(0)) }
            let filter = try condition.map { try Self.sql(.documents(0)) { try $0.condition($1, $2) }($0) }
            let source = IndexSource(expressions: trees.map { "\($0)" }, condition: condition.map { "\($0)" })
            definition = KeyDefinition(keys: keys, condition: filter, source: try source.stored)
            components = Self.components(trees + [condition].compactMap { $0 })
        } catch let failure as QueryFailure {
            throw failure.error(in: nil)
        }
    }

    /// Translates the definition of an index over the elements of an array.
    ///
    /// - Throws: `invalidQuery` if the path or an expression isn't SQL++ or can't be in an index.
    init(_ config: ArrayIndexConfiguration) throws {
        let trees = try config.expressions.map { try Self.trees($0) } ?? []
        do {
            let path = try ArrayPath(parsing: config.path)
            assert(!path.levels.isEmpty, "a path leads to an array")
            guard path.levels.count <= KeyDefinition.maximumLevelCount else {
                throw QueryFailure(
                    "the path of an array index can lead through at most \(KeyDefinition.maximumLevelCount) nested arrays, "
                        + "and this one leads through \(path.levels.count)")
            }
            let levels = try path.levels.map { level in
                guard let steps = Self.steps(level) else {
                    throw QueryFailure(
                        "the path to each array of an array index can have only names and positions from 0, as in a[0].b, "
                            + "and at most \(SQLText.argumentLimit) of them",
                        at: level.position)
                }
                return steps
            }
            let source = IndexSource(path: path.description, expressions: trees.map { "\($0)" }, condition: nil)
            definition = KeyDefinition(
                levels: levels, keys: try trees.map { try Self.key($0, .elements) }, source: try source.stored)
            components = Self.components(trees)
        } catch let failure as QueryFailure {
            throw failure.error(in: nil)
        } catch let error as QuerySyntaxError {
            throw DatabaseError(error)
        }
    }

    static func trees(_ texts: [String]) throws -> [Tree.Expression] {
        guard !texts.isEmpty else {
            throw DatabaseError(
                .invalidQuery, "the list of the index's expressions is empty",
                hint:
                    "give an expression; for an array index that indexes the elements themselves, give nil as the list")
        }
        guard texts.count <= KeyDefinition.maximumKeyCount else {
            throw DatabaseError(
                .invalidQuery,
                "an index has at most \(KeyDefinition.maximumKeyCount) expressions, and this one would have \(texts.count)"
            )
        }
        return try texts.map { try Tree.expression($0) }
    }

    static func components(_ trees: [Tree.Expression]) -> Set<IndexComponent> {
        var found: Set<IndexComponent> = []
        for tree in trees {
            _ = try? tree.rewritten { part in
                if case .collate(_, let collation) = part, collation.unicode == true { found.insert(.collation) }
                if case .call(let call) = part, lettered.contains(call.name) { found.insert(.letters) }
                if case .path = part { return part }
                return nil
            }
        }
        return found
    }

    private static func key(_ tree: Tree.Expression, _ kind: QuerySource.Kind) throws -> KeyDefinition.Key {
        let (inner, collation) = tree.withoutCollation
        try inner.checkIndexable(kind)
        if collation == nil, case .path(let path) = kind.isElements ? inner : inner.canonical,
            let steps = Self.steps(path)
        {
            return .path(steps, .queries)
        }
        let argument = collation.map { ", \(SQLText.string($0))" } ?? ""
        return .sql(
            try sql(kind) { translator, inner, scope in
                translator.collation = collation
                return "query_key(\(try translator.value(inner, scope))\(argument))"
            }(inner))
    }

    /// Returns the steps of a path from the root of a document's body or of an element; nil for a path with slices,
    /// negative indexes or too many steps.
    private static func steps(_ path: Tree.Path) -> [KeyDefinition.PathStep]? {
        guard path.steps.count < SQLText.argumentLimit else { return nil }
        var steps: [KeyDefinition.PathStep] = [.member(path.root)]
        for step in path.steps {
            switch step {
            case .name(let name): steps.append(.member(name))
            case .index(let index) where index >= 0: steps.append(.item(Int(truncatingIfNeeded: index)))
            default: return nil
            }
        }
        return steps
    }

    /// Returns a function that translates an expression of an index to SQL with `translate`. The SQL is over the
    /// columns `id` and `body` of a document's row or, in an index over elements, over the column `value` of an
    /// element's row.
    static func sql(
        _ kind: QuerySource.Kind, _ translate: @escaping (inout Translator, Tree.Expression, NameScope) throws -> String
    ) -> (Tree.Expression) throws -> String {
        { tree in
            try tree.checkIndexable(kind)
            var translator = Translator(NoCatalogue())
            translator.canNameParts = false
            let scope = NameScope(nil)
            // The rows of elements in ANY, EVERY and ARRAY have a column `value` too; the alias `element` distinguishes
            // the index's own element.
            let isApart = kind.isElements && tree.hasVariables
            let row = QuerySource(nil, sql: isApart ? "element" : "", kind)
            scope.sources = [row]
            var sql = try translate(&translator, tree, scope)
            if isApart { sql = "(SELECT \(sql) FROM (SELECT value AS value) AS element)" }
            if let name = translator.parameters.first?.name {
                throw QueryFailure(
                    "the expressions and the condition of an index can't contain parameters, such as $\(name)")
            }
            guard !row.hasDeleted else { throw QueryFailure("an index can't depend on META().deleted") }
            return sql
        }
    }
}

/// A catalogue without collections, because an index reads only the documents of its own collection.
private struct NoCatalogue: QueryCatalogue {
    func collection(scope: String?, name: String) throws -> (number: Int, scope: String, name: String)? { nil }
    func indexes(ofCollection number: Int) throws -> [PlannedIndex] { [] }
    func textIndexes(ofCollection number: Int) throws -> [TextIndex] { [] }
    func vectorIndexes(ofCollection number: Int) throws -> [VectorIndex] { [] }
    func geometryIndexes(ofCollection number: Int) throws -> [GeometryIndex] { [] }
}

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
        let condition = try config.where.map { try Tree.expression($0) }
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

/// The SQL definition of a vector index, translated from its SQL++ expression.
struct VectorTranslation {
    let definition: VectorDefinition
    /// The versioned parts of the program, other than functions and the layout, on which the vectors depend.
    let components: Set<IndexComponent>

    /// Translates the definition of a vector index.
    ///
    /// - Throws: `invalidQuery` if the expression isn't SQL++ or can't be in an index, `invalidParameter` for a number that
    ///   an index can't have.
    init(_ config: VectorIndexConfiguration) throws {
        let trees = try IndexTranslation.trees([config.expression])
        do {
            let sql = try IndexTranslation.sql(.documents(0)) { try $0.value($1, $2) }(trees[0])
            let source = IndexSource(expressions: ["\(trees[0])"])
            func given(_ number: UInt32) -> Int? { number == 0 ? nil : Int(number) }
            definition = try VectorDefinition(
                sql: sql, dimensions: Int(config.dimensions), centroids: Int(config.centroids),
                metric: config.metric.vectorMetric, encoding: config.encoding.coding,
                leastTraining: given(config.minTrainingSize), mostTraining: given(config.maxTrainingSize),
                probes: given(config.numProbes), isLazy: config.isLazy, source: try source.stored)
            components = IndexTranslation.components(trees)
        } catch let failure as QueryFailure {
            throw failure.error(in: nil)
        }
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
