import Foundation
import SealiteDatabase
import SealiteValues

enum Colour: String, Codable, CaseIterable, Sendable {
    case red, green
}

enum Grade: Int, Codable, CaseIterable, Sendable {
    case low = 1
    case high
}

/// The rows of the matrix of stored forms: every scalar type that a user stores, with the edges of its values.
enum StoredFormRows {
    static let all: [any StoredFormRow] = booleans + integers + doubles + texts + dates + others

    private static let booleans: [any StoredFormRow] = [true, false].map { value in
        StoredValue(
            "Bool \(value)", value, .bool(value), set: { $0.setBoolean(value, forKey: "v") },
            get: { $0.boolean(forKey: "v") })
    }

    private static func integer<T: FixedWidthInteger & Codable & Sendable>(_ value: T) -> any StoredFormRow {
        StoredValue(
            "\(T.self) \(value)", value, BSON(exactly: value), line: ",\"v\":\(value)",
            set: { $0.setNumber(Number(value), forKey: "v") },
            get: { document in
                document.number(forKey: "v").flatMap { number in
                    number.exactInt64.flatMap { T(exactly: $0) } ?? number.exactUInt64.flatMap { T(exactly: $0) }
                }
            })
    }

    private static let integers: [any StoredFormRow] = [
        integer(Int8.min), integer(Int8.max), integer(UInt8.max), integer(Int16.min), integer(UInt16.max),
        integer(Int32.min), integer(Int32.max), integer(UInt32.max), integer(0), integer(1 << 53 + 1),
        integer(Int64.min), integer(Int64.max), integer(UInt(7)), integer(UInt64.max),
    ]

    private static func double(_ value: Double) -> any StoredFormRow {
        StoredValue(
            "Double \(value)", value, .double(value), set: { $0.setDouble(value, forKey: "v") },
            get: { $0.double(forKey: "v") })
    }

    private static let doubles: [any StoredFormRow] =
        [
            0.1, 3, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 1e16, .nan, .infinity, -.infinity,
        ].map(double) + [
            StoredValue(
                "Float 0.1", Float(0.1), .double(0.1), set: { $0.setFloat(0.1, forKey: "v") },
                get: { $0.float(forKey: "v") }),
            StoredValue(
                "[Float]", [Float(0.1), 1, -2.5e10], [0.1, 1.0, -2.5e10],
                set: { document in
                    let items = [Float(0.1), 1, -2.5e10].compactMap { Number(json: $0.description).map(Value.number) }
                    document.setArray(ArrayObject(items), forKey: "v")
                }, get: { $0.array(forKey: "v")?.map(\.float) }),
        ]

    private static func text(_ name: String, _ value: String) -> any StoredFormRow {
        StoredValue(
            name, value, .string(value), set: { $0.setString(value, forKey: "v") }, get: { $0.string(forKey: "v") })
    }

    private static let texts: [any StoredFormRow] = [
        text("String", "text"), text("String, empty", ""), text("String of a date", "2026-11-21T04:06:03.123Z"),
        text("String of Base64", "AQID"), text("String of a UUID", "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"),
        StoredValue(
            "enum of String", Colour.green, "green", set: { $0.setString("green", forKey: "v") },
            get: { $0.string(forKey: "v").flatMap(Colour.init(rawValue:)) }),
        StoredValue(
            "enum of Int", Grade.high, 2, set: { $0.setInt(2, forKey: "v") },
            get: { Grade(rawValue: $0.int(forKey: "v")) }),
    ]

    private static func date(_ name: String, _ milliseconds: Int64, fraction: Double = 0) -> any StoredFormRow {
        let value = Date(timeIntervalSince1970: (Double(milliseconds) + fraction) / 1000)
        return StoredValue(
            name, value, .datetime(DateTime(milliseconds: milliseconds)), set: { $0.setDate(value, forKey: "v") },
            get: { $0.date(forKey: "v") })
    }

    private static let dates: [any StoredFormRow] = [
        date("Date", 1_795_233_963_123), date("Date of a whole second", 1_795_233_963_000),
        date("Date before 1970", -1), date("Date with microseconds", 1_795_233_963_123, fraction: 0.25),
        date("Date in the year 0", -62_167_219_200_000), date("Date in the year 12000", 316_516_204_800_000),
    ]

    private static let others: [any StoredFormRow] = [
        data("Data", [1, 2, 3]), data("Data, empty", []),
        StoredValue("[UInt8]", [UInt8(1), 2, 3], .binary(Binary([1, 2, 3]))),
        StoredValue(
            "UUID", UUID(uuidString: "73ffd264-44b3-4c69-90e8-e7d1dfc035d4") ?? UUID(),
            Binary(uuid: "73ffd264-44b3-4c69-90e8-e7d1dfc035d4").map { .binary($0) },
            set: { $0.setUUID(UUID(uuidString: "73ffd264-44b3-4c69-90e8-e7d1dfc035d4"), forKey: "v") },
            get: { $0.uuid(forKey: "v") }),
        StoredValue(
            "URL", URL(string: "https://example.org/a?b=c") ?? URL(filePath: "/"), "https://example.org/a?b=c",
            set: { $0.setString("https://example.org/a?b=c", forKey: "v") },
            get: { $0.string(forKey: "v").flatMap { URL(string: $0) } }),
        decimal("1.25", .double(1.25)), decimal("0.1234567890123456789012345", nil),
        StoredValue(
            "ObjectID", ObjectID("65f1c0ffee0123456789abcd") ?? ObjectID(),
            ObjectID("65f1c0ffee0123456789abcd").map { .objectID($0) }),
        StoredValue("Decimal128", Decimal128("1.50") ?? 0, Decimal128("1.50").map { .decimal128($0) }),
        StoredValue(
            "optional nil", nil, .null, in: OptionalSample.self, set: { $0.setNumber(nil, forKey: "v") },
            get: { $0.number(forKey: "v").map { Int($0.int64Value) } }),
        StoredValue(
            "missing", nil, nil, in: OptionalSample.self, line: "", set: { _ in }, get: { _ in .some(nil) }),
    ]

    private static func data(_ name: String, _ bytes: [UInt8]) -> any StoredFormRow {
        StoredValue(
            name, Data(bytes), .binary(Binary(bytes)), set: { $0.setData(Data(bytes), forKey: "v") },
            get: { $0.data(forKey: "v") })
    }

    private static func decimal(_ text: String, _ bson: BSON?) -> any StoredFormRow {
        StoredValue(
            "Decimal \(text)", Decimal(string: text) ?? 0, bson, line: ",\"v\":\(text)",
            set: { $0.setNumber(Number(json: text), forKey: "v") },
            get: { $0.number(forKey: "v").flatMap { Decimal(string: $0.description) } })
    }
}
