import Foundation
import SealiteDatabase
import SealiteModel
import SealiteMongo
import SealiteValues

/// An object with one member `v`, as the document API and models have it.
protocol SampleObject: Model where ID == String {
    associatedtype V: Codable & Sendable
    /// The same object as MongoDB's calls have it.
    associatedtype InMongo: MongoObject where InMongo.V == V

    var v: V { get }

    init(id: String, v: V)
}

/// An object with one member `v`, as MongoDB's calls have it.
protocol MongoObject: Codable, Sendable {
    associatedtype V

    var v: V { get }

    init(_id: String, v: V)
}

struct Sample<V: Codable & Sendable>: SampleObject {
    struct InMongo: MongoObject {
        var _id: String
        var v: V
    }

    var id: String
    var v: V

    static var declaration: ModelDeclaration {
        ModelDeclaration(name: "Sample" + String(describing: V.self).filter { $0.isLetter || $0.isNumber })
    }
}

/// An object whose member is optional, for which the compiler makes other code.
struct OptionalSample: SampleObject {
    struct InMongo: MongoObject {
        var _id: String
        var v: Int?
    }

    var id: String
    var v: Int?
}

/// A value of a Swift type, with the calls that write and read it. The types of the values differ.
protocol StoredFormRow: Sendable {
    /// The name of the type, and of the value where there are several.
    var name: String { get }
    /// What stands for the value in MongoDB's calls; nil if nothing does.
    var bson: BSON? { get }
    /// The member `v` as text, with a comma before it, in an imported line.
    var imported: String? { get }

    func saveCodable(_ id: String, in collection: SealiteDatabase.Collection, form: ValueForm) throws
    func saveBySetter(_ id: String, in collection: SealiteDatabase.Collection) throws -> Bool
    func saveModel(_ id: String, _ store: () throws -> ModelStore) throws -> String
    func insertMongo(_ id: String, in collection: SealiteDatabase.Collection) async throws

    func readByGetter(_ document: Document) -> String
    func decode(_ document: Document) throws -> String
    func findMongo(_ id: String, in collection: SealiteDatabase.Collection) async throws -> String
    func readModel(_ id: String, _ json: String, _ store: ModelStore, _ plain: Database) throws -> String
    var model: any Model.Type { get }
}

/// A value of the member of `Object`.
struct StoredValue<Object: SampleObject>: StoredFormRow {
    typealias V = Object.V

    let name: String
    let value: V
    let bson: BSON?
    let imported: String?
    /// The setter of documents for the type; nil if there is none.
    var set: (@Sendable (MutableDocument) throws -> Void)?
    /// The getter of documents for the type; nil if there is none.
    var get: (@Sendable (Document) -> V?)?

    init(
        _ name: String, _ value: Object.V, _ bson: BSON?, in object: Object.Type, line: String? = nil,
        set: (@Sendable (MutableDocument) throws -> Void)? = nil, get: (@Sendable (Document) -> Object.V?)? = nil
    ) {
        (self.name, self.value, self.bson, self.set, self.get) = (name, value, bson, set, get)
        imported = line ?? bson.map { ",\"v\":" + $0.extendedJSON(.relaxed) }
    }

    init<V: Codable & Sendable>(
        _ name: String, _ value: V, _ bson: BSON?, line: String? = nil,
        set: (@Sendable (MutableDocument) throws -> Void)? = nil, get: (@Sendable (Document) -> V?)? = nil
    ) where Object == Sample<V> {
        self.init(name, value, bson, in: Sample<V>.self, line: line, set: set, get: get)
    }

    var model: any Model.Type { Object.self }

    // MARK: - Writing

    func saveCodable(_ id: String, in collection: SealiteDatabase.Collection, form: ValueForm) throws {
        try collection.save(from: Object(id: id, v: value), form: form)
    }

    func saveBySetter(_ id: String, in collection: SealiteDatabase.Collection) throws -> Bool {
        guard let set else { return false }
        let document = MutableDocument(id: id)
        try set(document)
        try collection.save(document: document)
        return true
    }

    /// Saves the value as a member of an object, and returns the JSON text of the document.
    func saveModel(_ id: String, _ store: () throws -> ModelStore) throws -> String {
        let store = try store()
        try store.save(Object(id: id, v: value))
        return try store.collection(of: Object.self).document(id: id)?.toJSON() ?? ""
    }

    func insertMongo(_ id: String, in collection: SealiteDatabase.Collection) async throws {
        try await MongoCollection<Object.InMongo>(collection).insertOne(Object.InMongo(_id: id, v: value))
    }

    // MARK: - Reading

    func readByGetter(_ document: Document) -> String {
        guard let get else { return "-" }
        return get(document).map(compared) ?? "nil"
    }

    func decode(_ document: Document) throws -> String {
        compared(try document.decode(as: Object.self).v)
    }

    func findMongo(_ id: String, in collection: SealiteDatabase.Collection) async throws -> String {
        let found = try await MongoCollection<Object.InMongo>(collection).findOne(["_id": .string(id)])
        return found.map { compared($0.v) } ?? "nothing"
    }

    /// Reads the document as an object. It is stored as a peer's comes in, whether or not it fits the schema.
    func readModel(_ id: String, _ json: String, _ store: ModelStore, _ plain: Database) throws -> String {
        let name = try store.collection(of: Object.self).name
        guard let collection = try plain.collection(name: name) else { return "no collection" }
        try collection.save(document: MutableDocument(id: id, json: json))
        return try store.object(Object.self, id: id).map { compared($0.v) } ?? "nothing"
    }

    /// Returns "same" for the row's value, and the text of any other.
    private func compared(_ other: V) -> String {
        Self.text(value) == Self.text(other) ? "same" : "other: \(Self.text(other))"
    }

    private static func text(_ value: V) -> String {
        switch value {
        case let date as Date: "\(date.timeIntervalSince1970)"
        case let data as Data: data.base64EncodedString()
        default: "\(value)"
        }
    }
}
