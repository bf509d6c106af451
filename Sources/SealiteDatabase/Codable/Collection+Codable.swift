extension MutableDocument {
    /// Creates a document with the properties of an encoded value; if `id` is nil, its id is a random UUID. `form` is the
    /// stored form of dates, bytes and UUIDs.
    ///
    /// - Throws: `encodingFailed` if the value doesn't encode as an object.
    public convenience init(
        id: String? = nil, encoding value: some Encodable, form: ValueForm = .typed
    ) throws {
        self.init(id: id, data: try DocumentCoding.properties(of: value, form))
    }
}

extension Document {
    /// Returns the document as a value of a `Decodable` type. If no property `id` is stored, `id` decodes as the
    /// document's id.
    ///
    /// - Throws: `decodingFailed` if the document doesn't fit the type; the message names the property, not its
    ///   content.
    public func decode<T: Decodable>(as type: T.Type) throws -> T {
        do {
            return try ValueDecoder(.dictionary(toDictionary()), documentID: id).decode(type)
        } catch let error as DecodingError {
            throw DatabaseError(
                .decodingFailed, "the document \"\(id)\" can't be read as \(type): \(DocumentCoding.place(error))",
                underlying: error)
        }
    }
}

extension Collection {
    /// Saves a value as the document that its `id` names, replacing the stored document if there is one. An `id` that
    /// encodes as a text, number or UUID equal to the document's id isn't stored as a property. `form` is the stored form
    /// of dates, bytes and UUIDs.
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
