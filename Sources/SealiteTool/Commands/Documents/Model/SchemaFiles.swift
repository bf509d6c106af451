import ArgumentParser
import SealiteCrypto
import SealiteDatabase
import SealiteModel
import SealiteValues

/// The schemas that a command reads from files.
struct SchemaFiles: ParsableArguments {
    @Argument(help: "Files with a JSON Schema each; - is standard input.", completion: .file())
    var schemas: [String]

    @Option("title=file", help: "A file of App Services' relationships for the type TITLE. May be repeated.")
    var relationships: [String] = []

    func validate() throws {
        guard !schemas.isEmpty else { throw ValidationError("Missing the file of a schema.") }
        for text in relationships where !text.contains("=") {
            throw ValidationError("--relationships takes TITLE=FILE, not \"\(text)\".")
        }
        guard paths.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("Standard input can hold only one schema, or the relationships of one type.")
        }
    }

    /// The paths of the files with schemas and with relationships.
    private var paths: [String] { schemas + linkFiles.map(\.path) }

    /// A Boolean value that says whether one of the files is standard input.
    var readsStandardInput: Bool { paths.contains("-") }

    /// A schema with the file that contains it.
    struct Source {
        let file: String
        let title: String?
    }

    /// Returns the schema that all files define together, and the files of its types. Warnings go to standard error.
    ///
    /// - Parameters:
    ///   - database: the path of an open database; nil for none.
    ///   - collections: the titles of the types that have collections, by the names of their collections; relationships
    ///     refer to collections.
    /// - Returns: the schema and the files.
    /// - Throws: an error if a file isn't a JSON Schema of documents.
    func read(besides database: String? = nil, collections: [String: String] = [:]) throws -> (Schema, [Source]) {
        var documents: [MongoDocument] = []
        var sources: [Source] = []
        for path in schemas {
            let document = try Self.document(path, database)
            documents.append(document)
            let title: String? = if case .string(let text)? = document["title"] { text } else { nil }
            sources.append(Source(file: path == "-" ? "standard input" : path, title: title))
        }
        var links: [String: MongoDocument] = [:]
        for (title, path) in linkFiles {
            guard sources.contains(where: { $0.title == title }) else {
                throw ToolError.usage(
                    "--relationships \"\(title)=\(path)\": none of the schemas has the title \"\(title)\"")
            }
            links[title] = try Self.document(path, database)
        }
        let reading = Schema.reading(jsonSchema: documents, relationships: links, collections: collections)
        guard !reading.issues.contains(where: { $0.severity == .error }) else {
            throw ToolError.invalidSchema(reading.issues) { file(of: $0, sources) }
        }
        for issue in reading.issues {
            let place = file(of: issue, sources).map { "\($0): " } ?? ""
            Console.warn(SchemaIssues.identifier(of: issue.kind), place + issue.message)
        }
        return (reading.schema, sources)
    }

    /// The files of relationships, with their titles.
    private var linkFiles: [(title: String, path: String)] {
        relationships.map { text in
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
    }

    /// Returns the path of the file that an issue concerns, in the form used by messages; nil if it isn't known.
    private func file(of issue: SchemaIssue, _ sources: [Source]) -> String? {
        let path: String?
        if [.badRef, .relationshipOnID, .relationshipOnRequired].contains(issue.kind),
            let links = linkFiles.last(where: { $0.title == issue.title })
        {
            path = links.path
        } else {
            path = schemas.count == 1 ? schemas[0] : zip(schemas, sources).first { $1.title == issue.title }?.0
        }
        return path.map { $0 == "-" ? "standard input" : "\"\($0)\"" }
    }

    private static func document(_ path: String, _ database: String?) throws -> MongoDocument {
        let file = try InputFile(path, besides: database ?? "")
        let text = try file.all(limit: Schema.maximumTextLength)
        do throws(SchemaIssues) {
            return try Schema.document(ofText: text)
        } catch {
            throw ToolError.invalidSchema(error.issues) { _ in file.name }
        }
    }
}

extension Schema {
    /// The types whose values are documents of their own.
    var roots: [ObjectSchema] { objects.filter { !$0.isEmbedded } }
}

extension MongoDocument {
    /// Returns the document as JSON: on one line for scripts, with one member on each line for people.
    func schemaText(json: Bool) -> String {
        json
            ? extendedJSON()
            : BSON.document(self).indented(0).split(separator: "\n").map { String($0) }.joined(
                separator: "\n")
    }
}

extension BSON {
    /// Returns the value as JSON with one member on each line; short values stay on one line.
    fileprivate func indented(_ level: Int) -> String {
        let line = extendedJSON()
        guard line.utf8.count > 72 - 2 * level else { return line }
        let (margin, end) = (String(repeating: "  ", count: level + 1), "\n" + String(repeating: "  ", count: level))
        switch self {
        case .document(let document) where level < 40:
            let members = document.map {
                margin + BSON.string($0.key).extendedJSON() + ": " + $0.value.indented(level + 1)
            }
            return "{\n" + members.joined(separator: ",\n") + end + "}"
        case .array(let items) where level < 40:
            return "[\n" + items.map { margin + $0.indented(level + 1) }.joined(separator: ",\n") + end + "]"
        default: return line
        }
    }
}
