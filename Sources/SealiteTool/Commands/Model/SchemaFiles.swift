import ArgumentParser
import SealiteDatabase
import SealiteModel
import SealiteValues

/// The schemas that a command reads from files.
struct SchemaFiles: ParsableArguments {
    @Argument(help: "Files with a JSON Schema each; - is standard input.", completion: .file())
    var schemas: [String]

    @Option(
        help: ArgumentHelp(
            "A file of App Services' relationships for the type TITLE; give the option once for each.",
            valueName: "title=file"))
    var relationships: [String] = []

    func validate() throws {
        guard !schemas.isEmpty else { throw ValidationError("Missing the file of a schema.") }
        guard schemas.count(where: { $0 == "-" }) < 2 else {
            throw ValidationError("Standard input can hold one schema only.")
        }
        for text in relationships where !text.contains("=") {
            throw ValidationError("--relationships takes TITLE=FILE.")
        }
    }

    /// A schema and the file it comes from.
    struct Source {
        let file: String
        let title: String?
    }

    /// The schema that all files make together, and where its types come from. Warnings go to standard error.
    ///
    /// - Parameters:
    ///   - database: the path of the database that is open beside them; nil for none.
    ///   - collections: the titles of the types that collections have, for relationships.
    /// - Returns: the schema, and the files.
    /// - Throws: where a file isn't a JSON Schema of documents.
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
        for text in relationships {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            links[parts[0]] = try Self.document(parts[1], database)
        }
        let reading = Schema.reading(jsonSchema: documents, relationships: links, collections: collections)
        guard !reading.issues.contains(where: { $0.severity == .error }) else {
            throw ToolError.invalidSchema(reading.issues)
        }
        for issue in reading.issues { Console.warn(ToolError.code(issue.kind.rawValue), "\(issue)") }
        return (reading.schema, sources)
    }

    private static func document(_ path: String, _ database: String?) throws -> MongoDocument {
        let file = try InputFile(path, besides: database ?? "")
        let text = try file.all(limit: Schema.maximumTextLength)
        do throws(SchemaIssues) {
            return try Schema.document(ofText: text)
        } catch {
            throw ToolError.invalidSchema(error.issues, in: file.name)
        }
    }
}

extension Schema {
    /// The types that have documents of their own.
    var roots: [ObjectSchema] { objects.filter { !$0.isEmbedded } }
}

extension MongoDocument {
    /// The document as JSON: for scripts in one line, for people with a member to a line.
    func schemaText(json: Bool) -> String {
        json ? extendedJSON().jsonForOutput : BSON.document(self).indented(0).jsonForOutput
    }
}

extension BSON {
    /// The value as JSON with a member to a line; what is short stays in one.
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
