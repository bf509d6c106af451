public import FoundationEssentials
internal import SealiteValues
internal import Synchronization

/// A document to create or edit. Saving it updates its revision in place, so that it can be edited and saved again.
///
/// It may be used from several threads. Each call is atomic; a read followed by a write is not.
public final class MutableDocument: Sendable, PropertyContainer {
    /// The form of the properties: encoded as they were read, or decoded for editing.
    private enum Content {
        case encoded([UInt8])
        case fields(DictionaryObject)
    }

    private struct State {
        var content: Content
        var base = SavedRevisions()
        /// The number of properties that were set in the encoded form, without decoding the body.
        var quickEditCount = 0
    }

    /// The size of a document in bytes up to which properties are read and set in the encoded form, which is cheaper
    /// than decoding for the first few edits.
    private static let quickByteCount = 8192
    private static let quickEditLimit = 4

    /// The document's id.
    public let id: String
    private let state: Mutex<State>

    /// Creates an empty document; if `id` is nil, its id is a random UUID.
    public convenience init(id: String? = nil) {
        self.init(id: id, content: .fields(DictionaryObject()))
    }

    /// Creates a document with the properties of an object in JSONB; if `id` is nil, its id is a random UUID.
    package convenience init(id: String? = nil, object: JSONBObject) {
        self.init(id: id, content: .encoded(object.bytes))
    }

    /// Creates a document with the given properties; if `id` is nil, its id is a random UUID.
    public convenience init(id: String? = nil, data: DictionaryObject) {
        self.init(id: id, content: .fields(data))
    }

    /// Creates a document with the properties in a JSON object's text; if `id` is nil, its id is a random UUID.
    ///
    /// - Throws: `invalidJSON`.
    public convenience init(id: String? = nil, json: String) throws {
        self.init(id: id, content: .encoded(try JSONParser.parse(Array(json.utf8))))
    }

    /// Creates a document with the properties in a JSON object's text in UTF-8; if `id` is nil, its id is a random
    /// UUID.
    ///
    /// - Throws: `invalidJSON`.
    public convenience init(id: String? = nil, json: [UInt8]) throws {
        self.init(id: id, content: .encoded(try JSONParser.parse(json)))
    }

    private init(id: String?, content: Content) {
        self.id = id ?? UUID().uuidString.lowercased()
        state = Mutex(State(content: content))
    }

    init(_ document: Document) {
        id = document.id
        state = Mutex(State(content: .encoded(document.body), base: SavedRevisions(document)))
    }

    // MARK: - What it is based on

    var base: SavedRevisions.Base? { state.withLock { $0.base.current } }

    var historyLength: Int { state.withLock { $0.base.length } }

    /// The id of the revision that the document was read from or saved as; nil for a document that was never saved.
    public var revisionID: String? { base?.revision.description }

    /// The sequence of the revision that the document was read from or saved as; 0 for a document that was never saved.
    public var sequence: UInt64 { UInt64(base?.sequence ?? 0) }

    /// The collection that the document was read from or saved in; nil for a document that was never saved.
    public var collection: Collection? { base?.collection }

    /// Records the revision of the saved document as the base of the next save, unless the transaction is rolled back.
    func didSave(as document: Document, in outcome: TransactionOutcome) {
        state.withLock { $0.base.add(document, outcome) }
    }

    // MARK: - Reading

    private func withFields<Result: Sendable>(_ body: (inout DictionaryObject) -> Result) -> Result {
        state.withLock { Self.withFields(of: &$0, body) }
    }

    private static func withFields<Result>(
        of state: inout State, _ body: (inout DictionaryObject) -> Result
    ) -> Result {
        var fields: DictionaryObject
        switch state.content {
        case .fields(let known): fields = known
        case .encoded(let bytes):
            let database = state.base.current?.collection.database
            fields = DictionaryObject(jsonb: bytes, database: database) ?? DictionaryObject()
        }
        // The stored content is emptied first, so that the dictionary isn't shared and is changed without a copy.
        state.content = .fields(DictionaryObject())
        let result = body(&fields)
        state.content = .fields(fields)
        return result
    }

    /// Returns the value of a property; nil if there is no such property.
    public func value(forKey key: String) -> Value? {
        state.withLock { state in
            if case .encoded(let bytes) = state.content, bytes.count <= Self.quickByteCount {
                return JSONBObject(bytes).value(forKey: key, database: state.base.current?.collection.database)
            }
            return Self.withFields(of: &state) { $0.value(forKey: key) }
        }
    }

    /// The names of the document's properties, in their order.
    public var keys: [String] { withFields { $0.keys } }

    /// The number of the document's properties.
    public var count: Int { withFields { $0.count } }

    /// Returns all properties of the document.
    public func toDictionary() -> DictionaryObject { withFields { $0 } }

    /// Returns the properties as compact JSON text.
    ///
    /// - Throws: `invalidParameter` if a number isn't finite or the nesting is too deep.
    public func toJSON() throws -> String { String(decoding: try JSONSerializer.text(of: encoded()), as: UTF8.self) }

    /// Returns the document's properties as JSONB.
    ///
    /// - Throws: `invalidParameter` if a number isn't finite or the nesting is too deep.
    func encoded() throws(DatabaseError) -> [UInt8] {
        let content = state.withLock { $0.content }
        switch content {
        case .encoded(let bytes): return bytes
        case .fields(let fields): return try fields.jsonb(capacity: 512)
        }
    }

    /// The blobs among the properties and in nested values, stored or not; empty while the properties are kept in the
    /// encoded form in which they were read.
    var editedBlobs: [Blob] {
        let content = state.withLock { $0.content }
        guard case .fields(let fields) = content else { return [] }
        var found: [Blob] = []
        Blob.collect(.dictionary(fields), into: &found)
        return found
    }

    // MARK: - Writing

    /// The value of a property; null if there is no such property. Setting through nested subscripts changes nested
    /// values.
    public subscript(key: String) -> Value {
        get { value(forKey: key) ?? .null }
        set { setValue(newValue, forKey: key) }
    }

    /// Sets the value of a property, which is added if the document doesn't have it.
    @discardableResult
    public func setValue(_ value: Value, forKey key: String) -> Self {
        state.withLock { state in
            if !Self.setQuickly(value, key, &state) { Self.withFields(of: &state) { $0[key] = value } }
        }
        return self
    }

    private static func setQuickly(_ value: Value, _ key: String, _ state: inout State) -> Bool {
        guard case .encoded(let bytes) = state.content, bytes.count <= quickByteCount,
            state.quickEditCount < quickEditLimit
        else { return false }
        var object = JSONBObject(bytes)
        guard object.set(value, forKey: key) else { return false }
        state.content = .encoded(object.bytes)
        state.quickEditCount += 1
        return true
    }

    /// Replaces all properties of the document.
    @discardableResult
    public func setData(_ data: DictionaryObject) -> Self {
        state.withLock { $0.content = .fields(data) }
        return self
    }

    /// Replaces all properties with those in a JSON object's text.
    ///
    /// - Throws: `invalidJSON`; the properties are then unchanged.
    @discardableResult
    public func setJSON(_ json: String) throws -> Self {
        let bytes = try JSONParser.parse(Array(json.utf8))
        state.withLock { $0.content = .encoded(bytes) }
        return self
    }

    /// Replaces all properties with JSONB that is known to be valid.
    package func setEncoded(_ bytes: [UInt8]) {
        state.withLock { $0.content = .encoded(bytes) }
    }

    /// Removes a property, if there is one.
    @discardableResult
    public func removeValue(forKey key: String) -> Self {
        withFields { $0.removeValue(forKey: key) }
        return self
    }

    // MARK: - A setter for each type, under Couchbase Lite's names

    /// Sets a property to what `make` makes of a value, or to null.
    private func set<Wrapped>(_ value: Wrapped?, _ key: String, _ make: (Wrapped) -> Value) -> Self {
        setValue(value.map(make) ?? .null, forKey: key)
    }

    /// Sets a property to text, or to null.
    @discardableResult
    public func setString(_ value: String?, forKey key: String) -> Self { set(value, key, Value.string) }

    /// Sets a property to a number, or to null.
    @discardableResult
    public func setNumber(_ value: Number?, forKey key: String) -> Self { set(value, key, Value.number) }

    /// Sets a property to an integer.
    @discardableResult
    public func setInt(_ value: Int, forKey key: String) -> Self { setValue(Value(value), forKey: key) }

    /// Sets a property to a 64-bit integer.
    @discardableResult
    public func setInt64(_ value: Int64, forKey key: String) -> Self { setValue(Value(value), forKey: key) }

    /// Sets a property to a floating-point number; a number that isn't finite can't be saved.
    @discardableResult
    public func setDouble(_ value: Double, forKey key: String) -> Self { setValue(Value(value), forKey: key) }

    /// Sets a property to a floating-point number, with the digits of single precision.
    @discardableResult
    public func setFloat(_ value: Float, forKey key: String) -> Self {
        setValue(.number(Number(json: DoubleText.text(of: value)) ?? Number(Double(value))), forKey: key)
    }

    /// Sets a property to true or false.
    @discardableResult
    public func setBoolean(_ value: Bool, forKey key: String) -> Self { setValue(.boolean(value), forKey: key) }

    /// Sets a property to a date with milliseconds in a stored form, or to null. For peers that use Couchbase Lite, which
    /// reads dates from ISO 8601 text only, the form is ``ValueForm/text``.
    @discardableResult
    public func setDate(_ value: Date?, forKey key: String, form: ValueForm = .typed) -> Self {
        set(value, key) { .date($0, form: form) }
    }

    /// Sets a property to bytes in a stored form, or to null. The document itself contains the bytes; larger content is
    /// better stored as a ``Blob``.
    @discardableResult
    public func setData(_ value: Data?, forKey key: String, form: ValueForm = .typed) -> Self {
        set(value, key) { .data($0, form: form) }
    }

    /// Sets a property to a UUID in a stored form, or to null.
    @discardableResult
    public func setUUID(_ value: UUID?, forKey key: String, form: ValueForm = .typed) -> Self {
        set(value, key) { .uuid($0, form: form) }
    }

    /// Sets a property to a blob, whose content is stored when the document is saved, or to null.
    @discardableResult
    public func setBlob(_ value: Blob?, forKey key: String) -> Self { set(value, key, Value.blob) }

    /// Sets a property to an array, or to null.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forKey key: String) -> Self { set(value, key, Value.array) }

    /// Sets a property to a dictionary, or to null.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self {
        set(value, key, Value.dictionary)
    }
}
