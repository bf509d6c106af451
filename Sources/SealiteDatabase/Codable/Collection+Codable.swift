internal import FoundationEssentials
internal import SealiteJSON

extension MutableDocument {
    /// Creates a document with the properties of an encoded value; if `id` is nil, its id is a random UUID. `form` is
    /// the stored form of dates, bytes and UUIDs.
    ///
    /// - Throws: `encodingFailed` if the value doesn't encode as an object.
    public convenience init(
        id: String? = nil, encoding value: some Encodable, form: ValueForm = .typed
    ) throws {
        self.init(id: id, try DocumentCoding.encode(value, form))
    }
}

extension Document {
    /// Returns the document as a value of a `Decodable` type. If no property `id` is stored, `id` decodes as the
    /// document's id.
    ///
    /// - Throws: `decodingFailed` if the document doesn't fit the type; the message names the property, not its
    ///   content.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        let context = DecodingContext(CodingRules(.documents), id: .text(id), database: collection.database)
        return try DocumentCoding.decode(type, from: body, context, of: "the document \"\(id)\"")
    }
}

extension MutableDocument {
    /// Creates a document with an encoded object as its properties.
    fileprivate convenience init(id: String?, _ encoded: EncodedValue) {
        if encoded.blobs.isEmpty {
            self.init(id: id, object: JSONBObject(encoded.body))
        } else {
            self.init(id: id, data: encoded.properties())
        }
    }
}

extension Collection {
    /// Saves a value as the document that its `id` names, replacing the stored document if there is one. An `id` that
    /// encodes as a text, number or UUID equal to the document's id isn't stored as a property. `form` is the stored
    /// form of dates, bytes and UUIDs.
    ///
    /// - Throws: `encodingFailed` if the value doesn't encode as an object, `invalidParameter` if its `id` is nil, and the
    ///   errors of `save(document:)`.
    @discardableResult
    public func save<T: Encodable & Identifiable>(from value: T, form: ValueForm = .typed) throws -> Document {
        try save(document: DocumentCoding.document(of: value, form))
    }

    /// The asynchronous form of ``save(from:form:)``, which doesn't block the calling task's thread.
    @discardableResult
    public func save<T: Encodable & Identifiable>(
        from value: T, form: ValueForm = .typed
    ) async throws -> Document {
        try await save(document: DocumentCoding.document(of: value, form))
    }

    /// Returns a document as a value of a `Decodable` type; nil if there is no such document or it is deleted.
    ///
    /// - Throws: `decodingFailed` if the document doesn't fit the type.
    public func document<T: Decodable>(id: String, as type: T.Type) throws -> T? {
        try document(id: id)?.decode(as: type)
    }

    /// The asynchronous form of ``document(id:as:)``, which doesn't block the calling task's thread.
    public func document<T: Decodable & Sendable>(id: String, as type: T.Type) async throws -> T? {
        try await document(id: id)?.decode(as: type)
    }

    /// Deletes the document that a value's `id` names: a tombstone replaces it and replicates.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists, `invalidParameter` if the `id` is nil.
    public func delete(for value: some Identifiable) throws { try delete(id: DocumentCoding.id(of: value)) }

    /// Removes the document that a value's `id` names, without leaving a tombstone; the removal doesn't replicate.
    ///
    /// - Throws: `notFound` if neither the document nor its tombstone exists, `invalidParameter` if the `id` is nil.
    public func purge(for value: some Identifiable) throws { try purge(id: DocumentCoding.id(of: value)) }
}

/// Converts values of `Encodable` types to documents, and describes errors from decoding documents.
package enum DocumentCoding {
    /// Returns the document id that a value's `id` names: its description, or that of the value that an optional `id`
    /// wraps.
    ///
    /// - Throws: `invalidParameter` if the `id` is nil.
    static func id(of value: some Identifiable) throws(DatabaseError) -> String {
        guard let id = description(of: value.id) else {
            throw DatabaseError(
                .invalidParameter, "the id of a value of \(type(of: value)) is nil, so it names no document")
        }
        return id
    }

    /// Returns the description of a value, without the optionals that wrap it; nil if it is nil.
    fileprivate static func description<T>(of value: T) -> String? {
        if let optional = value as? any OptionalValue { return optional.wrappedDescription }
        return String(describing: value)
    }

    static func document<T: Encodable & Identifiable>(of value: T, _ form: ValueForm) throws -> MutableDocument {
        let encoded = try encode(value, form)
        let id = try id(of: value)
        var object = JSONBObject(encoded.body)
        switch object.value(forKey: "id", database: nil) {
        case .string(id)?: object.remove("id")
        case .number(let number)? where number.description == id: object.remove("id")
        // A UUID's description is its text, in both stored forms.
        case let other? where other.uuid?.uuidString == id: object.remove("id")
        default: break
        }
        return MutableDocument(id: id, EncodedValue(body: object.bytes, blobs: encoded.blobs))
    }

    /// Returns an object in its stored form.
    fileprivate static func encode(_ value: some Encodable, _ form: ValueForm) throws -> EncodedValue {
        let encoded: EncodedValue
        do {
            encoded = try StoredEncoder.encode(value, CodingRules(.documents, form: form), capacity: 512)
        } catch let error as EncodingError {
            throw DatabaseError(
                .encodingFailed, "a value of \(type(of: value)) can't be encoded as a document",
                hint: "the underlying error names the property and the reason", underlying: error)
        }
        // A blob is an object in a body, and no document.
        let isBlob = value is Blob || (value as? Value)?.blob != nil
        guard !isBlob, JSONBElement(root: encoded.body.span)?.type == JSONBType.object else {
            throw DatabaseError(
                .encodingFailed, "a value of \(type(of: value)) doesn't encode as an object, as a document must")
        }
        return encoded
    }

    /// Returns a stored object as a value of a type. `name` says in errors what the object is.
    ///
    /// - Throws: `decodingFailed`, which names the property and not its content.
    package static func decode<T: Decodable>(
        _ type: T.Type, from body: [UInt8], _ context: DecodingContext, of name: @autoclosure () -> String
    ) throws -> T {
        do {
            guard let root = StoredElement(root: body, .documents) else {
                throw DatabaseError(.corruptData, "\(name()) is damaged")
            }
            return try StoredDecoder.value(type, at: root, context)
        } catch let error as DecodingError {
            throw DatabaseError(
                .decodingFailed, "\(name()) can't be read as \(type): \(place(error))", underlying: error)
        }
    }

    /// Returns a text with the path of the property that can't be decoded and the reason, without the property's
    /// content.
    package static func place(_ error: DecodingError) -> String {
        let (path, reason): ([any CodingKey], String)
        switch error {
        case .keyNotFound(let key, let context): (path, reason) = (context.codingPath + [key], "it is missing")
        case .valueNotFound(_, let context): (path, reason) = (context.codingPath, "it is null")
        case .typeMismatch(_, let context): (path, reason) = (context.codingPath, "it has another type")
        case .dataCorrupted(let context): (path, reason) = (context.codingPath, "it isn't valid for its type")
        @unknown default: (path, reason) = ([], "it doesn't fit")
        }
        guard !path.isEmpty else { return "the whole value: \(reason)" }
        return "property \"\(path.map(\.stringValue).joined(separator: "."))\": \(reason)"
    }
}

/// An `Optional` of any type.
private protocol OptionalValue {
    /// The description of the wrapped value; nil if there is none.
    var wrappedDescription: String? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrappedDescription: String? { flatMap { DocumentCoding.description(of: $0) } }
}
