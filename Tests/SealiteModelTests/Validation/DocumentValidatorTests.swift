import SealiteDatabase
import SealiteJSON
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteModel

@Suite("validation of documents")
struct DocumentValidatorTests {
    /// A schema of one type with a property `p`.
    private static func validator(
        _ property: Property, embedded: [ObjectSchema] = [], nulls: Bool = false, constraints: MongoDocument = [:]
    ) throws -> DocumentValidator {
        let type = ObjectSchema(
            "T", primaryKey: "_id", properties: [Property("_id", .objectID), property], constraints: constraints)
        return try DocumentValidator(type, in: Schema([type] + embedded), nullTypeValidation: nulls)
    }

    /// Returns the violations of a body in JSON, as `path keyword`.
    private static func violations(
        _ json: String, _ validator: DocumentValidator, id: String = "$oid:616f44305a205add93ff1081"
    ) throws -> [String] {
        let body = try MongoDocument(extendedJSON: json).stored()
        return validator.violations(inBody: body, id: id).map { "\($0.path) \($0.keyword)" }
    }

    private static func stored(_ json: String, _ type: PropertyType) throws -> [String] {
        try violations(#"{"p":\#(json)}"#, try validator(Property("p", type)))
    }

    /// Stored values, and the types that each of them fits.
    private static let fitting: [(String, [PropertyType])] = [
        ("true", [.bool]),
        ("7", [.int, .long, .double]),
        ("-2147483648", [.int, .long, .double]),
        ("2147483648", [.long, .double]),
        (#"{"$numberLong":"7"}"#, [.int, .long, .double]),
        (#"{"$numberLong":"5000000000"}"#, [.long, .double]),
        ("3.0", [.double]),
        ("1e400", [.double]),
        (#"{"$numberDouble":"NaN"}"#, [.double]),
        (#"{"$numberDecimal":"1.50"}"#, [.decimal128]),
        (#""text""#, [.string]),
        (#""616f44305a205add93ff1081""#, [.string]),
        (#"{"$oid":"616f44305a205add93ff1081"}"#, [.objectID]),
        (#"{"$date":"2002-08-18T04:56:07.000Z"}"#, [.date]),
        (#"{"$date":{"$numberLong":"-99999999999999"}}"#, [.date]),
        (#"{"$uuid":"73ffd264-44b3-4c69-90e8-e7d1dfc035d4"}"#, [.uuid, .data]),
        (#"{"$binary":{"base64":"AAEC","subType":"00"}}"#, [.data]),
        (#"{"type":"Point","coordinates":[179.5,-10]}"#, [.geoPoint]),
        (#"{"type":"Point","coordinates":[1]}"#, []),
        (#"{"type":"Point","coordinates":[1,91]}"#, []),
        (#"{"type":"Line","coordinates":[1,2]}"#, []),
        (#"{"a":1}"#, []), ("[]", []), ("null", []),
    ]

    @Test("a stored value fits the types that it is of, and mixed", arguments: fitting)
    func types(json: String, types: [PropertyType]) throws {
        let all: [PropertyType] = [
            .bool, .int, .long, .double, .string, .data, .date, .decimal128, .objectID, .uuid, .geoPoint,
        ]
        for type in all {
            let fits = try Self.stored(json, type).isEmpty
            #expect(fits == types.contains(type), "\(json) as \(type)")
        }
        #expect(try Self.stored(json, .mixed).isEmpty)
    }

    @Test("an integer of more digits than 64 bits hold is a double alone")
    func longDigits() throws {
        let body = try MutableDocument(json: #"{"p":123456789012345678901234567890}"#).toJSON()
        #expect(body.contains("123456789012345678901234567890"))
        for (type, fits) in [(PropertyType.long, false), (.int, false), (.double, true)] {
            #expect(try Self.stored("123456789012345678901234567890", type).isEmpty == fits)
        }
    }

    @Test("the parts of arrays, sets and dictionaries are looked at one by one")
    func containers() throws {
        #expect(try Self.stored("[1,2]", .array(.int)).isEmpty)
        #expect(try Self.stored(#"[1,"a",2.5]"#, .array(.int)) == ["p.1 bsonType", "p.2 bsonType"])
        #expect(try Self.stored("[1,null]", .array(.int)) == ["p.1 bsonType"])
        #expect(try Self.stored("[[1],[true]]", .array(.array(.int))) == ["p.1.0 bsonType"])
        #expect(try Self.stored("5", .array(.int)) == ["p bsonType"])
        #expect(try Self.stored(#"{"a":"x","b":1}"#, .dictionary(.string)) == ["p.b bsonType"])
        #expect(try Self.stored("{}", .dictionary(.string)).isEmpty)
        #expect(try Self.stored("[]", .dictionary(.string)) == ["p bsonType"])
    }

    @Test("a set has no value twice, by the order of values")
    func sets() throws {
        #expect(try Self.stored("[1,2,3]", .set(.int)).isEmpty)
        #expect(try Self.stored("[1,2,1]", .set(.int)) == ["p uniqueItems"])
        #expect(try Self.stored(#"[1,{"$numberLong":"1"}]"#, .set(.int)) == ["p uniqueItems"])
        #expect(try Self.stored("[1,1.0]", .set(.double)) == ["p uniqueItems"])
        #expect(try Self.stored(#"[{"a":1,"b":2},{"b":2,"a":1.0}]"#, .set(.dictionary(.double))) == ["p uniqueItems"])
        let many = (0..<500).map(String.init).joined(separator: ",")
        #expect(try Self.stored("[\(many)]", .set(.int)).isEmpty)
        #expect(try Self.stored("[\(many),250]", .set(.int)) == ["p uniqueItems"])
    }

    @Test("embedded objects are looked into, and may hold objects of their own type")
    func embedded() throws {
        let part = ObjectSchema(
            "Part", properties: [Property("n", .int), Property("parts", .array(.embedded("Part")))], isEmbedded: true)
        let validator = try Self.validator(Property("p", .embedded("Part")), embedded: [part])
        #expect(try Self.violations("{}", validator).isEmpty)
        #expect(try Self.violations(#"{"p":{"n":1,"parts":[{"n":2,"parts":[]}]}}"#, validator).isEmpty)
        #expect(
            try Self.violations(#"{"p":{"n":1,"parts":[{"n":"x"},{}]}}"#, validator) == [
                "p.parts.0.n bsonType", "p.parts.1.n required",
            ])
        #expect(try Self.violations(#"{"p":[]}"#, validator) == ["p bsonType"])
        #expect(throws: SchemaError.self) { try Self.validator(Property("p", .embedded("Missing"))) }
    }

    @Test("a link is a value of the target's key")
    func links() throws {
        let link = PropertyType.link(to: "Dog", key: .objectID)
        #expect(try Self.stored(#"{"$oid":"616f44305a205add93ff1081"}"#, link).isEmpty)
        #expect(try Self.stored(#""616f44305a205add93ff1081""#, link) == ["p bsonType"])
        #expect(try Self.stored(#"[{"$oid":"616f44305a205add93ff1081"},1]"#, .array(link)) == ["p.1 bsonType"])
    }

    @Test("required members are there; collections, links, embedded and mixed values may be absent")
    func required() throws {
        #expect(try Self.violations("{}", try Self.validator(Property("p", .int))) == ["p required"])
        for type in [PropertyType.array(.int), .set(.int), .dictionary(.int), .mixed, .link(to: "T", key: .objectID)] {
            #expect(try Self.violations("{}", try Self.validator(Property("p", type))).isEmpty)
        }
        #expect(try Self.violations("{}", try Self.validator(Property("p", .int, isOptional: true))).isEmpty)
    }

    @Test("null fits mixed values, and with null-type validation what may be absent")
    func nulls() throws {
        let null = #"{"p":null}"#
        for (type, isOptional, fits) in [
            (PropertyType.int, true, true), (.int, false, false), (.array(.int), false, true),
            (.link(to: "T", key: .uuid), true, true),
        ] {
            let property = Property("p", type, isOptional: isOptional)
            #expect(try Self.violations(null, try Self.validator(property)) == ["p bsonType"])
            #expect(try Self.violations(null, try Self.validator(property, nulls: true)).isEmpty == fits)
        }
        #expect(try Self.violations(null, try Self.validator(Property("p", .mixed))).isEmpty)
    }

    @Test("mixed values have at most a hundred containers in each other")
    func mixedDepth() throws {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(try Self.stored(nested(100), .mixed).isEmpty)
        #expect(try Self.stored(nested(101), .mixed) == ["p bsonType"])
    }

    @Test("the document's ID is a form of the primary key's type")
    func ids() throws {
        func fits(_ id: String, _ key: PropertyType) throws -> Bool {
            let type = ObjectSchema("T", primaryKey: "_id", properties: [Property("_id", key)])
            let found = try Self.violations("{}", try DocumentValidator(type, in: Schema([type])), id: id)
            #expect(found.isEmpty || found == ["_id bsonType"])
            return found.isEmpty
        }
        let uuid = "$uuid:73ffd264-44b3-4c69-90e8-e7d1dfc035d4"
        let ids: [(String, [PropertyType])] = [
            ("$oid:616f44305a205add93ff1081", [.objectID]), ("$oid:616F44305a205add93ff1081", [.string]),
            ("$oid:616f44305a205add93ff108g", [.string]), ("text", [.string]), ("$s:_x", [.string]),
            ("$n:5", [.int, .long]), ("$n:5000000000", [.long]), ("$n:0.5", []), (uuid, [.uuid]), ("$null", []),
        ]
        for (id, types) in ids {
            for key in [PropertyType.objectID, .string, .int, .long, .uuid] {
                #expect(try fits(id, key) == types.contains(key), "\(id) as \(key)")
            }
        }
    }

    @Test("constraints of properties and of the whole object are JSON Schema's keywords")
    func constraints() throws {
        let count = try Self.validator(Property("p", .int, constraints: ["minimum": 3, "maximum": 5]))
        #expect(try Self.violations(#"{"p":4}"#, count).isEmpty)
        #expect(try Self.violations(#"{"p":2}"#, count) == ["p minimum"])
        let items = try Self.validator(
            Property("p", .array(.string), constraints: ["items": ["pattern": "^#[0-9]+$"], "maxItems": 1]))
        #expect(try Self.violations(##"{"p":["#12"]}"##, items).isEmpty)
        #expect(try Self.violations(##"{"p":["#12","x"]}"##, items) == ["p.1 pattern", "p maxItems"])
        let closed = try Self.validator(
            Property("p", .int, isOptional: true), constraints: ["additionalProperties": false, "minProperties": 2])
        #expect(try Self.violations(#"{"p":4}"#, closed).isEmpty)
        #expect(try Self.violations(#"{"p":4,"q":1}"#, closed) == ["q additionalProperties"])
        #expect(try Self.violations("{}", closed) == [" minProperties"])
        #expect(throws: SchemaError.self) {
            try Self.validator(Property("p", .string, constraints: ["pattern": "("]))
        }
    }

    @Test("a wide type finds its members in any order")
    func manyProperties() throws {
        let properties = (0..<150).map { Property("member\($0)", .int) }
        let type = ObjectSchema("Wide", primaryKey: "_id", properties: [Property("_id", .objectID)] + properties)
        let validator = try DocumentValidator(type, in: Schema([type]))
        var random = SeededRandom()
        let names = (0..<150).shuffled(using: &random)
        let json = names.map { #""member\#($0)":\#($0)"# }.joined(separator: ",")
        #expect(try Self.violations("{\(json)}", validator).isEmpty)
        #expect(
            try Self.violations(#"{"member149":"x","member70":1}"#, validator)
                == ["member149 bsonType"]
                + (0..<150).filter { $0 != 149 && $0 != 70 }.prefix(99).map { "member\($0) required" })
    }

    @Test("members that the schema doesn't name are fine, and a violation names no value")
    func texts() throws {
        let validator = try Self.validator(Property("p", .int))
        #expect(try Self.violations(#"{"zz":[1],"p":1}"#, validator).isEmpty)
        let body = try MongoDocument(extendedJSON: #"{"p":"secret"}"#).stored()
        let error = SchemaError.unfit(
            type: "T", violations: validator.violations(inBody: body, id: "$oid:616f44305a205add93ff1081"))
        #expect(
            "\(error)" == """
                An object does not fit the schema of type 'T':
                - 'p' isn't of type int (bsonType)
                """)
    }

    @Test("damaged bytes and bodies nested too deep don't fit, and nothing worse happens")
    func hostileBodies() throws {
        let part = ObjectSchema(
            "Part", properties: [Property("p", .array(.embedded("Part")))], isEmbedded: true)
        let validator = try Self.validator(Property("p", .array(.embedded("Part"))), embedded: [part])
        let id = "$oid:616f44305a205add93ff1081"
        #expect(!validator.fits([], id: id))
        #expect(!validator.fits([0x0B], id: id))
        var body = try MongoDocument(extendedJSON: #"{"p":[]}"#).stored()
        #expect(validator.fits(body, id: id))
        for index in body.indices {
            for bit in 0..<8 {
                var damaged = body
                damaged[index] ^= 1 << bit
                _ = validator.violations(inBody: damaged, id: id)
            }
        }
        for _ in 0..<2000 {
            var writer = JSONBWriter()
            writer.string("p")
            let name = writer.bytes
            body = Self.element(JSONBType.object, name + Self.element(JSONBType.array, body))
        }
        #expect(!validator.fits(body, id: id))
    }

    private static func element(_ type: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var writer = JSONBWriter()
        writer.header(type, byteCount: payload.count)
        return writer.bytes + payload
    }
}
