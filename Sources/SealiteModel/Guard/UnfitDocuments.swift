public import SealiteDatabase

/// The documents of a database that don't conform to the schemas of their collections, collection by collection, and
/// sorted by ID in each collection.
///
/// The documents are read in batches, so that memory doesn't grow with their number. A document that is changed during
/// the iteration is checked once, before or after the change.
public struct UnfitDocuments: AsyncSequence, Sendable {
    /// A document that doesn't conform to the schema of its collection.
    public typealias Element = UnfitDocument

    private let parts: [(collection: Collection, validator: DocumentValidator)]

    /// Creates a sequence of the documents that don't conform to some schemas; schemas without a collection have no
    /// documents.
    ///
    /// - Throws: `SchemaError.invalidSchema` for constraints that can't be read.
    public init(of schemas: [StoredSchema]) throws(SchemaError) {
        var parts: [(collection: Collection, validator: DocumentValidator)] = []
        for stored in schemas {
            guard let collection = stored.collection else { continue }
            let validator = try DocumentValidator(
                stored.object, in: stored.schema, nullTypeValidation: stored.policy.nullTypeValidation)
            parts.append((collection, validator))
        }
        self.parts = parts
    }

    /// Returns an iterator, which starts from the beginning.
    public func makeAsyncIterator() -> Iterator { Iterator(parts: parts) }

    /// Iterates over the documents that don't conform to the schemas of their collections.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var parts: [(collection: Collection, validator: DocumentValidator)]
        private var last: Document?
        private var found: [UnfitDocument] = []

        fileprivate init(parts: [(collection: Collection, validator: DocumentValidator)]) {
            self.parts = parts.reversed()
        }

        /// Returns the next document that doesn't conform to the schema of its collection; nil after the last one.
        ///
        /// - Throws: errors from reading, and `CancellationError`.
        public mutating func next() async throws -> UnfitDocument? {
            while found.isEmpty, let (collection, validator) = parts.last {
                try Task.checkCancellation()
                let after = last
                let (page, unfit) = try await collection.database.read {
                    let page = try collection.documents(
                        in: DocumentRange(), after: after, limit: 256, byteLimit: 1 << 20)
                    return (
                        page.last,
                        page.compactMap { document -> UnfitDocument? in
                            let violations = validator.violations(in: document)
                            return violations.isEmpty
                                ? nil
                                : UnfitDocument(document: document, type: validator.type.name, violations: violations)
                        }
                    )
                }
                found = unfit.reversed()
                last = page
                if page == nil { parts.removeLast() }
            }
            return found.popLast()
        }
    }
}

/// A stored document that doesn't conform to the schema of its collection.
public struct UnfitDocument: Sendable {
    /// The document that doesn't conform to the schema.
    public let document: Document
    /// The name of the document's type in the schema.
    public let type: String
    /// The document's violations of the schema.
    public let violations: [SchemaViolation]
}

extension DocumentValidator {
    /// Returns the violations of a document; empty if it conforms.
    public func violations(in document: Document) -> [SchemaViolation] {
        violations(inBody: document.body, id: document.id)
    }
}
