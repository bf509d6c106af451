import Foundation
import SealiteDatabase
import SealiteQuery
import SealiteValues
import Testing

@testable import SealiteModel

/// A schema of one type without a primary key.
private func schema(_ properties: Property..., name: String = "A") -> Schema {
    Schema([ObjectSchema(name, properties: properties)])
}

@Suite("migrations of documents")
struct MigrationTests {
    private let stage: MigrationStage

    init() throws { stage = try MigrationStage() }

    // MARK: - Enumerating

    @Test("a later enumeration sees objects as they were before the migration, and what an earlier one set")
    func secondEnumeration() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        try stage.put((0..<700).map { ["_id": .string("\($0 + 1000)"), "n": BSON($0)] }, in: "A")
        let sums = Box<[Int64]>([])
        try stage.open(schema(Property("n", .long), Property("m", .long)), version: 2) { migration in
            try migration.enumerate("A") { old, new in
                let number = try old?.integer("n") ?? 0
                if number.isMultiple(of: 2) { try new?.set("m", BSON(number * 10)) }
                try new?.set("n", -1)
            }
            try migration.enumerate("A") { old, new in
                let sum = try [old?.integer("n"), new?.integer("n"), new?.integer("m")].reduce(0) { $0 + ($1 ?? 0) }
                sums.change { $0.append(sum) }
            }
        }
        #expect(sums.value == (0..<700).map { $0 - 1 + ($0.isMultiple(of: 2) ? $0 * 10 : 0) })
    }

    @Test("objects come in the order in which they were made, and each once")
    func order() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        for number in [3, 1, 2] { try stage.put(["_id": .string("\(number)"), "n": 0], in: "A") }
        try stage.put(["_id": "3", "n": 1], in: "A")
        let ids = Box<[BSON]>([])
        try stage.open(schema(Property("n", .long)), version: 2) { migration in
            try migration.enumerate("A") { old, _ in
                let id = old?.id ?? .null
                ids.change { $0.append(id) }
            }
        }
        #expect(ids.value == ["3", "1", "2"])
    }

    @Test("objects that the function deletes or creates meanwhile aren't met")
    func changesMeanwhile() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        try stage.put((0..<6).map { ["_id": .string("\($0)"), "n": BSON($0)] }, in: "A")
        let met = Box<[BSON]>([])
        try stage.open(schema(Property("n", .long)), version: 2) { migration in
            try migration.enumerate("A") { old, new in
                let id = old?.id ?? .null
                met.change { $0.append(id) }
                if id == "1" {
                    try migration.delete("A", id: "3")
                    try migration.delete("A", id: "1")
                    try new?.set("n", 100)
                    try migration.create("A", ["_id": "new", "n": 7])
                }
                if id == "4" {
                    try migration.enumerate("A") { old, new in
                        if old?.id == "4" { try new?.set("n", 40) }
                        if old?.id == "5" { try new?.set("n", 50) }
                    }
                }
                if id == "5" {
                    let number = try new?.integer("n") ?? 0
                    try new?.set("n", BSON(number + 1))
                }
            }
        }
        #expect(met.value == ["0", "1", "2", "4", "5"])
        let expected: [MongoDocument] = [
            ["_id": "0", "n": 0], ["_id": "2", "n": 2], ["_id": "4", "n": 40], ["_id": "5", "n": 51],
            ["_id": "new", "n": 7],
        ]
        #expect(try stage.documents("A") == expected)
        #expect(try stage.collection("A").document(id: "5")?.revisionID.hasPrefix("3-") == true)
    }

    @Test("objects of a type that isn't declared any more have no new side, and stay until their data is deleted")
    func removedType() throws {
        let both = Schema([
            ObjectSchema("A", properties: [Property("n", .long)]),
            ObjectSchema("B", properties: [Property("n", .long)]),
        ])
        try stage.open(both, version: 1)
        try stage.put(["_id": "1", "n": 5], in: "B")
        try stage.open(schema(Property("n", .long)), version: 2) { migration in
            try migration.enumerate("B") { old, new in
                #expect(new == nil)
                try migration.create("A", ["_id": "copy", "n": try old?["n"] ?? .null])
            }
        }
        #expect(try stage.documents("A") == [["_id": "copy", "n": 5]])
        #expect(try stage.documents("B") == [["_id": "1", "n": 5]])
        try stage.open(schema(Property("n", .long)), version: 3) { migration in
            #expect(try migration.deleteData(of: "B"))
            #expect(try !migration.deleteData(of: "C"))
            try migration.enumerate("B") { _, _ in Issue.record("an object is left") }
        }
        #expect(try stage.database.collection(name: "B") == nil)
        #expect(try stage.stored("B") == nil)
    }

    @Test("objects of a new type have no old side")
    func newType() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        let both = Schema([
            ObjectSchema("A", properties: [Property("n", .long)]),
            ObjectSchema("B", properties: [Property("n", .long)]),
        ])
        let count = Box(0)
        try stage.open(both, version: 2) { migration in
            for number in 0..<3 { try migration.create("B", ["n": BSON(number)]) }
            try migration.enumerate("B") { old, new in
                #expect(old == nil)
                count.change { $0 += 1 }
                try migration.create("B", ["n": 9])
                if try new?.integer("n") == 1 { new = nil }
            }
        }
        #expect(count.value == 3)
        #expect(try stage.documents("B").count == 5)
    }

    @Test("names and values that a type doesn't have are refused, and the old side can't be changed")
    func refusals() throws {
        try stage.open(schema(Property("n", .long), Property("o", .string, isOptional: true)), version: 1)
        try stage.put(["_id": "1", "n": 1], in: "A")
        try stage.open(schema(Property("n", .long), Property("p", .string, isOptional: true)), version: 2) {
            migration in
            try migration.enumerate("A") { old, new in
                #expect(throws: SchemaError.invalidPropertyName(type: "A", name: "p")) { try old?["p"] }
                #expect(throws: SchemaError.invalidPropertyName(type: "A", name: "o")) { try new?.set("o", "x") }
                #expect(throws: SchemaError.invalidValue(type: "A", name: "n")) { try new?.set("n", "x") }
                #expect(throws: SchemaError.invalidValue(type: "A", name: "n")) { try new?.set("n", .null) }
                var copy = old
                #expect(throws: SchemaError.invalidValue(type: "A", name: "n")) { try copy?.set("n", 5) }
                try new?.set("p", "set")
                try new?.set("p", .null)
            }
            #expect(throws: SchemaError.unknownType("Z")) { try migration.enumerate("Z") { _, _ in } }
            #expect(throws: SchemaError.duplicatePrimaryKey(type: "A")) {
                try migration.create("A", ["_id": "1", "n": 1])
            }
            #expect(throws: SchemaError.invalidPropertyName(type: "A", name: "z")) {
                try migration.create("A", ["z": 1])
            }
        }
        #expect(try stage.documents("A") == [["_id": "1", "n": 1]])
    }

    // MARK: - What is written

    @Test("documents that stay as they are get no new revision, and others one, with unknown members and digits kept")
    func revisions() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        try stage.put([["_id": "1", "n": 1], ["_id": "2", "n": 2, "m": 5]], in: "A")
        let collection = try stage.collection("A")
        try collection.save(document: MutableDocument(id: "3", json: #"{"x":1.500,"n":12345678901234567890,"y":[{}]}"#))
        let before = try #require(try collection.document(id: "2"))
        try stage.open(schema(Property("n", .long), Property("m", .long)), version: 2) { migration in
            try migration.enumerate("A") { _, _ in }
        }
        #expect(try collection.document(id: "2")?.revisionID == before.revisionID)
        let first = try #require(try collection.document(id: "1"))
        #expect(first.revisionID.hasPrefix("2-"))
        #expect(try collection.document(id: "3")?.toJSON() == #"{"x":1.500,"n":12345678901234567890,"y":[{}],"m":0}"#)
        let sequence = try collection.lastSequence
        try stage.open(schema(Property("n", .long), Property("m", .long)), version: 3)
        #expect(try collection.lastSequence == sequence)
    }

    @Test("blobs, expirations and indexes of rewritten documents stay")
    func companions() throws {
        try stage.open(schema(Property("n", .long, isIndexed: true)), version: 1)
        let collection = try stage.collection("A")
        let blob = Blob(contentType: "text/plain", bytes: [1, 2, 3])
        try collection.save(document: MutableDocument(id: "1").setInt(5, forKey: "n").setBlob(blob, forKey: "b"))
        let time = Date(timeIntervalSince1970: 4_000_000_000)
        try collection.setDocumentExpiration(id: "1", expiration: time)
        try stage.open(schema(Property("m", .long, isIndexed: true, renamedFrom: ["n"])), version: 2)
        #expect(try collection.document(id: "1")?.blob(forKey: "b")?.content == Data([1, 2, 3]))
        #expect(try collection.getDocumentExpiration(id: "1") == time)
        #expect(try collection.indexes() == ["model_m"])
        #expect(try stage.database.integrityFindings() == [])
    }

    @Test("a type change, an addition and a removal inside embedded objects reach lists and dictionaries of them")
    func embedded() throws {
        func types(_ version: Int) -> Schema {
            let inner =
                version == 1
                ? [Property("s", .string), Property("gone", .long, isOptional: true)]
                : [Property("t", .string, renamedFrom: ["s"]), Property("new", .bool, defaultValue: true)]
            return Schema([
                ObjectSchema(
                    "A",
                    properties: [
                        Property("one", .embedded("E"), isOptional: true), Property("list", .array(.embedded("E"))),
                        Property("map", .dictionary(.embedded("E"))),
                    ]), ObjectSchema("E", properties: inner, isEmbedded: true),
            ])
        }
        try stage.open(types(1), version: 1)
        let document: MongoDocument = [
            "_id": "1", "one": ["s": "a", "gone": 1], "list": [["gone": 2, "s": "b", "u": 3], .null],
            "map": ["s": ["s": "c"], "k": 5], "other": ["s": "d"],
        ]
        try stage.put(document, in: "A")
        try stage.open(types(2), version: 2)
        let expected: MongoDocument = [
            "_id": "1", "one": ["t": "a", "new": true], "list": [["t": "b", "u": 3, "new": true], .null],
            "map": ["s": ["t": "c", "new": true], "k": 5], "other": ["s": "d"],
        ]
        #expect(try stage.documents("A") == [expected])
    }

    @Test("a property that becomes required keeps its values, and takes its default where it lacks one")
    func requiredWithDefault() throws {
        try stage.open(schema(Property("n", .long, isOptional: true)), version: 1)
        try stage.put([["_id": "1", "n": 1], ["_id": "2", "n": .null], ["_id": "3"]], in: "A")
        try stage.open(schema(Property("n", .long, defaultValue: 7)), version: 2)
        #expect(try stage.documents("A") == [["_id": "1", "n": 1], ["_id": "2", "n": 7], ["_id": "3", "n": 7]])
    }

    @Test("errors of a migration name what to declare next, and keep Realm's text as their reason")
    func remedies() throws {
        let old = Schema([ObjectSchema("A", properties: [Property("n", .long), Property("s", .string)])])
        var new = old
        new.objects[0].properties.append(Property("age", .int))
        try stage.open(old, version: 3)
        try stage.put(["_id": "1", "n": 1, "s": "x"], in: "A")
        let unraised = #expect(throws: SchemaError.self) { try stage.open(new, version: 3) }
        let step =
            "raise `version` of ModelConfiguration; declare the default that documents without the property get, as in"
            + " .property(\"age\", default: 0)"
        #expect(unraised?.hint == step)
        #expect(
            unraised?.reason
                == "The stored types must be migrated, because of these changes:\n- Property 'A.age' is new."
        )
        #expect(unraised?.description == "\(unraised?.reason ?? "")\n(\(step))")
        let lower = #expect(throws: SchemaError.self) { try stage.open(old, version: 2) }
        #expect(lower?.hint == "raise `version` of ModelConfiguration to 3 or more")
        new = old
        new.objects[0].properties[0].isOptional = true
        let optional = #expect(throws: SchemaError.self) { try stage.open(new, version: 3) }
        #expect(optional?.hint == "raise `version` of ModelConfiguration")
        new.objects[0].properties[1].type = .long
        let changed = #expect(throws: SchemaError.self) { try stage.open(new, version: 3) }
        #expect(changed?.hint?.contains("migration function") == true)
        let missing = SchemaError.missingDefault(["A.n"])
        #expect(missing.description.contains(".property(\"age\", default: 0)"))
    }

    @Test("a property that becomes required without a default fails where it is missing, unless the function sets it")
    func requiredWithoutDefault() throws {
        let old = Schema([
            ObjectSchema(
                "A", properties: [Property("n", .long, isOptional: true), Property("e", .array(.embedded("E")))]),
            ObjectSchema("E", properties: [Property("s", .string, isOptional: true)], isEmbedded: true),
        ])
        var new = old
        new.objects[0].properties[0].isOptional = false
        new.objects[1].properties[0].isOptional = false
        try stage.open(old, version: 1)
        let documents: [MongoDocument] = [
            ["_id": "1", "n": 1, "e": [["s": "x"]]], ["_id": "2", "e": [["s": "x"], ["s": .null]]],
        ]
        try stage.put(documents, in: "A")
        #expect(throws: SchemaError.missingDefault(["A.n", "E.s"])) { try stage.open(new, version: 2) }
        #expect(try stage.storedVersion() == 1)
        #expect(try stage.documents("A") == documents)
        try stage.open(new, version: 2) { migration in
            try migration.enumerate("A") { old, new in
                if try old?["n"] == .null { try new?.set("n", 9) }
                try new?.set("e", [["s": "y"]])
            }
        }
        #expect(try stage.documents("A").map { $0["n"] } == [1, 9])
    }

    // MARK: - Failing

    @Test("a damaged document fails the migration, and the old schema opens still")
    func damagedDocument() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        let document = MutableDocument(id: "1")
        document.setEncoded([0x2C, 0x17, 0x61])
        #expect(throws: DatabaseError.self) { try stage.collection("A").save(document: document) }
        try stage.put(["_id": "1", "n": 1], in: "A")
        #expect(throws: DatabaseError(.cancelled, "")) {
            let settings = MigrationStage.Settings(version: 2, progress: { $0.rowCount == 0 && $0.totalRowCount == 1 })
            try stage.open(schema(Property("n", .string)), settings)
        }
        #expect(try stage.documents("A") == [["_id": "1", "n": 1]])
        try stage.open(schema(Property("n", .long)), version: 1)
    }

    @Test("progress tells the first and the last document, and every thousandth")
    func progress() throws {
        try stage.open(schema(Property("n", .long)), version: 1)
        try stage.put((0..<2_500).map { ["_id": .string("\($0)"), "n": 1] }, in: "A")
        let reports = Box<[UInt64]>([])
        let settings = MigrationStage.Settings(
            version: 2,
            progress: { report in
                reports.change { $0.append(report.rowCount) }
                return report.totalRowCount == 2_500
            })
        try stage.open(schema(Property("n", .string)), settings)
        #expect(reports.value == [0, 1_000, 2_000, 2_500])
    }
}
