import ArgumentParser
import SealiteDatabase
import SealiteQuery
import Synchronization

/// The command `sealite index`, whose subcommands list, create, update, delete and rebuild indexes.
struct IndexCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index",
        abstract: "List, create, update, delete and rebuild indexes, which speed up queries.",
        discussion: "Example: sealite index create notes.db age --on age --key-file notes.key",
        subcommands: [List.self, Create.self, Update.self, Delete.self, Rebuild.self])

    /// The command `sealite index list`, which lists the indexes of all collections.
    struct List: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the indexes of all collections.",
            discussion: "Example: sealite index list notes.db --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var options: DocumentOptions

        func run(in database: Database) throws {
            for scope in try database.scopes() {
                for collection in try scope.collections() {
                    for name in try collection.indexes() { try show(collection, name) }
                }
            }
        }

        private func show(_ collection: Collection, _ name: String) throws {
            guard let index = try collection.index(withName: name) else { return }
            let state = index.vectors == nil ? nil : try collection.vectorIndexState(name)
            let parts =
                [collection.fullName, name] + index.definitionParts
                + (state.map { VectorIndexOptions.description(of: $0) } ?? [])
            options.output.print(
                parts.joined(separator: "  ").withoutControls,
                json: [
                    "collection": collection.fullName, "name": name, "path": index.path,
                    "expressions": index.expressions,
                    "where": index.where, "language": index.language,
                    "fullText": index.fullText.map(FullTextOptions.json),
                    "vector": index.vectors.map { VectorIndexOptions.json($0, state) },
                ])
        }
    }

    /// The command `sealite index create`, which creates an index of a collection.
    struct Create: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract:
                "Make an index. An existing index of the same name is replaced, unless its definition is the same.",
            discussion: """
                An index is over one or more expressions in SQL++, in their order; --where restricts it to some documents. With \
                --array it is over the elements of an array, and --on names their properties; without --on the elements themselves are \
                the keys. With --full-text it is over the words of texts, for MATCH(NAME, 'words') in 'sealite query'. With \
                --vector it is over vectors, for APPROX_VECTOR_DISTANCE(EXPRESSION, $vector) there: once there are enough of them, \
                it is trained, which divides them into lists, of which a search reads the nearest.

                Example: sealite index create notes.db city --on address.city --on age --key-file notes.key

                Example: sealite index create notes.db phones --array contacts[].phones --on type --key-file notes.key

                Example: sealite index create notes.db words --full-text title --full-text body --language en --key-file notes.key

                Example: sealite index create notes.db near --vector embedding --dimensions 384 --metric cosine --key-file notes.key
                """)

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The name of the index, unique in its collection.")
        var name: String

        @Option("expression", help: "An expression in SQL++. May be repeated.")
        var on: [String] = []

        @Option("path", help: "The path to the array whose elements are indexed, such as contacts[].phones.")
        var array: String?

        @Option("expression", help: "An expression whose words the index is over. May be repeated.")
        var fullText: [String] = []

        @OptionGroup(title: "Full-text options") var words: FullTextOptions

        @OptionGroup(title: "Vector options") var vectors: VectorIndexOptions

        @Option("condition", help: "Index only the documents that fulfil this condition.")
        var `where`: String?

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func validate() throws {
            if array == nil, on.isEmpty, fullText.isEmpty, vectors.vector == nil {
                throw ValidationError("An index needs --on, --array, --full-text or --vector.")
            }
            for other in [
                ("--on", !on.isEmpty), ("--array", array != nil), ("--full-text", !fullText.isEmpty),
                ("--where", `where` != nil),
            ] { try ValidationError.requireOne(("--vector", vectors.vector != nil), other) }
            if !fullText.isEmpty, array != nil || !on.isEmpty {
                throw ValidationError("--full-text can't be given together with --on or --array.")
            }
            if fullText.isEmpty, words.isGiven {
                throw ValidationError("\(FullTextOptions.names) need --full-text.")
            }
            try ValidationError.requireOne(("--array", array != nil), ("--where", `where` != nil))
            for text in on { try Self.requireOne(text, "--on") }
            for text in fullText { try Self.requireOne(text, "--full-text") }
            try vectors.vector.map { try Self.requireOne($0, "--vector", isRepeatable: false) }
        }

        /// Throws an error if the value of an option is several expressions, with commas between them.
        private static func requireOne(_ text: String, _ option: String, isRepeatable: Bool = true) throws {
            let parts = text.expressions.map { "\(option) \($0.shellArgument)" }
            guard parts.count > 1 else { return }
            let hint = isRepeatable ? "; repeat the option for several: \(parts.joined(separator: " "))" : ""
            throw ValidationError("\(option) takes one expression\(hint).")
        }

        private func definition(for collection: Collection) throws -> any IndexConfiguration {
            if let vector = vectors.vector {
                return vectors.configuration(vector, documentCount: try collection.count)
            }
            if !fullText.isEmpty { return words.configuration(fullText, where: `where`) }
            guard let array else { return ValueIndexConfiguration(on, where: `where`) }
            return ArrayIndexConfiguration(path: array, expressions: on.isEmpty ? nil : on)
        }

        func run(on collection: Collection) throws {
            let former = try formerIndex(in: collection)
            let definition = try definition(for: collection)
            let progress = Mutex(ProgressReporter(json: options.output.json))
            var change = StoppableChange()
            change.effect = { effect(on: collection, former?.record) }
            try change.run {
                try collection.createIndex(withName: name, config: definition) { [control = change.control] done in
                    progress.withLock {
                        $0.report("indexing", completed: done.documentCount, total: done.totalDocumentCount)
                    }
                    return !control.isStopped
                }
            }
            progress.withLock { $0.finish() }
            if let index = try collection.index(withName: name), let language = index.language, !index.isLanguageKnown {
                Console.warn(
                    "no-stemmer",
                    "there is no stemmer for the language \"\(language)\": words are found only as they are written")
            }
            let isReplaced = Self.differs(try Self.record(of: name, in: collection), from: former?.record)
            report(
                collection.fullName, Int64(try collection.count),
                centroids: (definition as? VectorIndexConfiguration)?.centroids,
                replacing: isReplaced ? former?.index : nil)
        }

        private static func differs(_ record: IndexRecord?, from former: IndexRecord?) -> Bool {
            record?.kind != former?.kind || record?.definition != former?.definition
        }

        /// Returns what a creation that was stopped has changed: a vector index is made first and trained afterwards.
        private func effect(on collection: Collection, _ former: IndexRecord?) -> String {
            let made = try? Self.record(of: name, in: collection)
            return Self.differs(made, from: former)
                ? "the index \"\(name)\" was made, but not all vectors are in its lists; the same command goes on"
                : "nothing was changed"
        }

        /// Returns the record of the index of this name; nil if there is none.
        private static func record(of name: String, in collection: Collection) throws -> IndexRecord? {
            try collection.indexRecords().first { $0.name == name }
        }

        /// Returns the index that has the name before one is created, and its record; nil if there is none.
        private func formerIndex(in collection: Collection) throws -> (record: IndexRecord, index: QueryIndex)? {
            guard let record = try Self.record(of: name, in: collection),
                let index = try collection.index(withName: name)
            else { return nil }
            return (record, index)
        }

        /// Reports that the index was created, with the number of documents in its collection, and the definition of
        /// the index that it replaced. If there are no documents, the index is probably in the wrong collection, so a
        /// warning says so.
        private func report(_ collection: String, _ count: Int64, centroids: UInt32?, replacing former: QueryIndex?) {
            if count == 0 {
                Console.warn(
                    "empty-collection",
                    "the collection \"\(collection)\" has no documents; --collection names another collection")
            }
            let parts = former?.definitionParts.joined(separator: "  ") ?? ""
            let end = former == nil ? "" : "; it replaced another definition" + (parts.isEmpty ? "" : ": \(parts)")
            options.output.confirm(
                "made the index \"\(name)\" over \(counted(count, "document")) of \(collection)"
                    + (centroids.map { " with \(counted($0, "centroid"))" } ?? "") + end,
                json: [
                    "made": name, "collection": collection, "documents": count, "replaced": former != nil,
                    "centroids": centroids,
                ])
        }
    }

    /// The command `sealite index delete`, which deletes an index of a collection.
    struct Delete: DocumentsCommand {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Delete an index; documents stay as they are.",
            discussion: "Example: sealite index delete notes.db age --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @Argument(help: "The name of the index.")
        var name: String

        @OptionGroup var collection: CollectionOptions
        @OptionGroup var options: DocumentOptions

        func run(on collection: Collection) throws {
            guard try collection.index(withName: name) != nil else { throw ToolError.noIndex(name, in: collection) }
            try StoppableChange("deleting", json: options.output.json).run {
                try collection.deleteIndex(forName: name)
            }
            options.output.report("deleted", [name])
        }
    }
}

extension IndexCommand {
    /// The command `sealite index rebuild`, which rebuilds all indexes of a database.
    struct Rebuild: DatabaseCommand {
        static let configuration = CommandConfiguration(
            commandName: "rebuild",
            abstract: "Rebuild all indexes of the database.",
            discussion: "Example: sealite index rebuild notes.db --key-file notes.key")

        @OptionGroup var place: DatabaseArgument

        @OptionGroup var options: DocumentOptions

        func run(in database: Database) throws {
            try StoppableChange("indexing", json: options.output.json).run {
                try database.performMaintenance(type: .reindex)
            }
            options.output.confirm("rebuilt the indexes of \"\(place.database)\"", json: ["rebuilt": true])
        }
    }
}

extension ToolError {
    /// Returns the error for an index that doesn't exist.
    static func noIndex(_ name: String, in collection: Collection) -> ToolError {
        ToolError(
            .noInput, code: "no-such-index", "there is no index \"\(name)\" in \"\(collection.fullName)\"",
            hint: "'sealite index list' shows those there are")
    }
}

extension QueryIndex {
    /// The parts of the definition as a line for people shows them: path, expressions, settings for words or vectors,
    /// condition.
    fileprivate var definitionParts: [String] {
        let parts = [path.map { "\($0)[]" } ?? "", expressions.joined(separator: ", ")]
        let words = fullText.map { FullTextOptions.description(of: $0, isLanguageKnown) } ?? []
        let vectors = vectors.map { VectorIndexOptions.description(of: $0) } ?? []
        return parts.filter { !$0.isEmpty } + words + vectors + [`where`.map { "WHERE \($0)" }].compactMap { $0 }
    }
}

extension String {
    /// The expressions of a list with commas between them. Commas in parentheses, brackets, braces and quotation marks
    /// don't separate; a text without another comma is its only expression.
    fileprivate var expressions: [String] {
        var parts = [""]
        var quote: Character?
        var depth = 0
        for character in self {
            if let open = quote {
                if character == open { quote = nil }
            } else if "'\"`".contains(character) {
                quote = character
            } else if "([{".contains(character) {
                depth += 1
            } else if ")]}".contains(character) {
                depth -= 1
            } else if character == ",", depth == 0 {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
        }
        return parts.map { String($0.trimmed) }.filter { !$0.isEmpty }
    }
}

/// The options that determine how a full-text index treats the words of texts: language, accents, stop words and
/// stemming.
struct FullTextOptions: ParsableArguments {
    @Option(
        "language",
        help:
            "The language of the texts, by whose rules words are stemmed: a code such as en, or an English name. Default: no stemming."
    )
    var language: String?

    @Flag(help: "Ignore accents.")
    var ignoreAccents = false

    @Option(
        "words",
        help: """
            Words that the index leaves out: words separated by commas (a single word ends with a comma), a language whose list \
            is used, or 'none'. Default: the list of --language, if there is one.
            """)
    var stopWords: String?

    @Flag(help: "Don't stem words; only remove the language's stop words.")
    var noStemming = false

    @Flag(help: "Store stems only, not the words: a smaller index, in which a prefix search finds stems only.")
    var noUnstemmedPrefixes = false

    /// The names of these options, for messages.
    static let names = "--language, --ignore-accents, --stop-words, --no-stemming and --no-unstemmed-prefixes"

    var isGiven: Bool { language != nil || ignoreAccents || stopWords != nil || noStemming || noUnstemmedPrefixes }

    /// Returns the definition of a full-text index over the expressions, with the settings of these options.
    func configuration(_ expressions: [String], where condition: String?) -> FullTextIndexConfiguration {
        var made = FullTextIndexConfiguration(
            expressions, where: condition, ignoreAccents: ignoreAccents, language: language)
        made.stemming = !noStemming
        made.unstemmedPrefixes = !noUnstemmedPrefixes
        switch stopWords {
        case nil: break
        case "none"?: made.stopWords = .none
        case let words? where words.contains(","): made.stopWords = .words(words.split(separator: ",").map(String.init))
        case let name?: made.stopWords = .list(name)
        }
        return made
    }

    // MARK: - Listing

    /// Returns the settings with which a full-text index treats words, each as a part of a line for people, such as
    /// `accents ignored`.
    static func description(of index: FullTextIndexConfiguration, _ isLanguageKnown: Bool) -> [String] {
        var parts = ["full text"]
        if let language = index.language {
            parts.append("language \(language)\(isLanguageKnown ? "" : " (no stemmer)")")
        }
        if index.ignoreAccents { parts.append("accents ignored") }
        switch index.stopWords {
        case .automatic, .none: break
        case .list(let name): parts.append("stop words \(name)")
        case .words(let words): parts.append("stop words \(words.joined(separator: ","))")
        }
        if !index.stemming { parts.append("no stemming") }
        if !index.unstemmedPrefixes { parts.append("no unstemmed prefixes") }
        return parts
    }

    /// Returns the settings with which a full-text index treats words, as JSON.
    static func json(_ index: FullTextIndexConfiguration) -> JSONValue {
        let stopWords: JSONValue =
            switch index.stopWords {
            case .automatic, .none: .null
            case .list(let name): .text(name)
            case .words(let words): words.json
            }
        return [
            "ignoreAccents": index.ignoreAccents, "stopWords": stopWords, "stemming": index.stemming,
            "unstemmedPrefixes": index.unstemmedPrefixes,
        ]
    }
}
