@testable import SealiteMongo
@testable import SealiteValues

/// Filters, updates and projections of the MongoDB-style API. The first byte decides which of them the rest is: Extended JSON of an array of it and a document.
final class MongoFuzz: FuzzTarget {
    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let mode = input.first, case .array(let items)? = try? BSON(extendedJSON: Array(input.dropFirst())),
            items.count == 2, case .document(let document) = items[1]
        else { return }
        switch mode % 3 {
        case 0: try checkFilter(items[0], document)
        case 1: try checkUpdate(items[0], document)
        default: try checkProjection(items[0], document)
        }
    }

    private let context = FilterContext(now: DateTime(milliseconds: 1_700_000_000_000))

    private func checkFilter(_ operand: BSON, _ document: MongoDocument) throws(BrokenProperty) {
        guard case .document(let query) = operand, let filter = try? Filter(parsing: query, context: context) else {
            return
        }
        _ = FilterBounds(filter)
        let inMemory = try? filter.matches(Row(document))
        var body = document
        body["_id"] = nil
        // A name that occurs twice, and values that aren't stored, have no stored form.
        guard let id = document["_id"], let stored = try? body.stored(),
            MongoDocument(stored: stored) == body
        else { return }
        let inPlace = try? filter.matches(Row(body: stored, id: id))
        try BrokenProperty.unless(inMemory == inPlace, "a stored document is matched otherwise")
    }

    private func checkUpdate(_ operand: BSON, _ document: MongoDocument) throws(BrokenProperty) {
        guard let update = try? Update(parsing: operand, context: context) else { return }
        guard let changed = try? update.apply(to: document, position: 0) else { return }
        guard let id = document["_id"] else { return }
        try BrokenProperty.unless(changed["_id"] == id, "an update changes the _id")
        try BrokenProperty.unless(changed.keys.first == "_id", "the _id isn't in front")
    }

    private func checkProjection(_ operand: BSON, _ document: MongoDocument) throws(BrokenProperty) {
        guard case .document(let specification) = operand,
            let projection = try? FindProjection(specification, context)
        else { return }
        _ = try? projection.projector().document(of: Row(document), FilterMatch(position: 0))
    }

    /// First inputs of each kind.
    static var seeds: [[UInt8]] {
        let filters = [
            #"{"a":{"$gt":1,"$lte":5},"b.0.c":{"$in":[1,null,{"$regularExpression":{"pattern":"^x","options":"i"}}]}}"#,
            #"{"$or":[{"a":{"$elemMatch":{"b":{"$ne":2},"c":{"$exists":true}}}},{"$nor":[{"a":{"$size":2}}]}]}"#,
            #"{"a":{"$all":[1,[2]],"$not":{"$type":["number","string"]}},"$expr":{"$eq":["$a",1]},"_id":{"$mod":[2,0]}}"#,
            #"{"a":{"$bitsAllSet":[0,3],"$regex":"a.b","$options":"s"},"$jsonSchema":{"required":["a"]}}"#,
        ]
        let updates = [
            #"{"$set":{"a.0.b":1},"$unset":{"c":1},"$inc":{"d":2},"$mul":{"e":{"$numberDecimal":"1.5"}}}"#,
            #"{"$push":{"a":{"$each":[3,1],"$sort":-1,"$slice":2,"$position":0}},"$rename":{"b":"c.d"},"$currentDate":{"e":true}}"#,
            #"{"$pull":{"a":{"$gte":2}},"$addToSet":{"b.$[]":{"$each":[1,2]}},"$min":{"c":1},"$max":{"d.$":2}}"#,
            #"{"$bit":{"d":{"and":3,"xor":1}},"$pop":{"a":1},"$pullAll":{"b":[1]},"$setOnInsert":{"x":1}}"#,
            #"[{"$set":{"a":{"$add":["$d",1]}}},{"$unset":"b"}]"#, #"{"a":1}"#,
        ]
        let projections = [
            #"{"a":{"$slice":[-2,1]},"b":0}"#, #"{"a":{"$elemMatch":{"b":1}},"c.d":1,"_id":0}"#, #"{"a.$":1}"#,
            #"{"a":{"$add":["$d",1]},"b":1}"#,
        ]
        let document = #"{"_id":1,"a":[1,{"b":2,"c":[3]},[4]],"b":{"c":"x"},"c":null,"d":5,"e":2.5}"#
        let kinds: [(UInt8, [String])] = [(0, filters), (1, updates), (2, projections)]
        return kinds.flatMap { mode, texts in texts.map { [mode] + Array("[\($0),\(document)]".utf8) } }
    }
}
