import SealiteDatabase
import SealiteMongo
import SealiteValues

/// Extended JSON from the command line: an argument, an option, or a file in place of an argument.
struct MongoValue {
    /// The name of the value in error messages.
    private let name: String
    let value: BSON

    /// Parses a text.
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

    /// The value as a document.
    var document: MongoDocument {
        get throws(ToolError) {
            guard case .document(let document) = value else { throw due("a document") }
            return document
        }
    }

    /// The value as an array of documents.
    var documents: [MongoDocument] {
        get throws(ToolError) {
            guard case .array(let items) = value else { throw due("an array of documents") }
            var documents: [MongoDocument] = []
            for item in items {
                guard case .document(let document) = item else { throw due("an array of documents") }
                documents.append(document)
            }
            return documents
        }
    }

    private func due(_ kind: String) -> ToolError { .usage("the \(name) has to be \(kind)") }
}

/// The arguments after the collection's name, in order; those that are read from files aren't among them.
struct MongoArguments {
    private var texts: ArraySlice<String>
    private let place: MongoPlace
    private let options: DocumentOptions

    init(_ texts: [String?], place: MongoPlace, options: DocumentOptions) {
        self.texts = texts.compactMap { $0 }[...]
        (self.place, self.options) = (place, options)
    }

    /// Returns the value of a file or otherwise of the next argument; nil if there is neither.
    mutating func next(_ name: String, file: String? = nil) throws -> MongoValue? {
        if let file {
            guard file != "-" || !options.key.readsStandardInput else {
                throw ToolError.usage("standard input can't hold both the key and the \(name)")
            }
            return try MongoValue(name, try InputFile(file, besides: place.database).all())
        }
        return try texts.popFirst().map { text throws(ToolError) in try MongoValue(name, Array(text.utf8)) }
    }

    /// Returns the value of a file or otherwise of the next argument.
    mutating func require(_ name: String, file: String? = nil) throws -> MongoValue {
        guard let value = try next(name, file: file) else {
            throw ToolError.usage(
                "the \(name) is missing", hint: name == "filter" ? "{} is the filter that all documents fulfil" : nil)
        }
        return value
    }

    /// Refuses surplus arguments.
    func requireEnd() throws {
        guard texts.isEmpty else {
            throw ToolError.usage(
                "too many arguments: an argument that is read from a file can't also be given on the command line")
        }
    }
}
