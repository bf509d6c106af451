import SealiteDatabase
import SealiteMongo
import SealiteValues

/// Extended JSON from the command line: an argument, an option, or a file in place of an argument.
struct MongoValue {
    /// The name of the value in error messages.
    private let name: String
    let value: BSON

    /// Parses a text of Extended JSON.
    init(_ name: String, _ text: [UInt8]) throws(ToolError) {
        self.name = name
        do throws(ExtendedJSONError) {
            value = try BSON(extendedJSON: text)
        } catch {
            throw ToolError.notExtendedJSON(name, error)
        }
    }

    /// Returns the document of an option; an empty one if the option isn't given.
    static func document(_ name: String, option text: String?) throws(ToolError) -> MongoDocument {
        guard let text else { return [:] }
        return try MongoValue(name, Array(text.utf8)).document
    }

    /// Returns the documents of an option; none if the option isn't given.
    static func documents(_ name: String, option text: String?) throws(ToolError) -> [MongoDocument] {
        guard let text else { return [] }
        return try MongoValue(name, Array(text.utf8)).documents
    }

    /// The value as a document; an error if it is of another kind.
    var document: MongoDocument {
        get throws(ToolError) { try document(as: "a document") }
    }

    /// The value as an array of documents; an error if it is of another kind.
    var documents: [MongoDocument] {
        get throws(ToolError) { try documents(as: "an array of documents") }
    }

    /// Returns the value as a document; `kind` says in the error for another value what it has to be.
    func document(as kind: String) throws(ToolError) -> MongoDocument {
        guard case .document(let document) = value else { throw due(kind) }
        return document
    }

    /// Returns the value as an array of documents; `kind` says in the error for another value what it has to be.
    func documents(as kind: String) throws(ToolError) -> [MongoDocument] {
        guard case .array(let items) = value else { throw due(kind) }
        var documents: [MongoDocument] = []
        for item in items {
            guard case .document(let document) = item else { throw due(kind) }
            documents.append(document)
        }
        return documents
    }

    private func due(_ kind: String) -> ToolError { .usage("the \(name) has to be \(kind)") }
}
