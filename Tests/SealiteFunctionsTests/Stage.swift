import Foundation
import SealiteCrypto
import SealiteFile
import SealiteJSON

/// A sealed file in a folder of its own, which goes with the last reference to it, and a connection to it.
final class Stage {
    let folder = NSTemporaryDirectory() + "sealite-functions-" + UUID().uuidString
    let database: SealedDatabase
    let connection: RawConnection

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        database = try SealedDatabase.create(folder + "/a.db", slot: .rawKey(Self.key))
        connection = try database.connect()
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    static var key: SecretBytes {
        let bytes = [UInt8](repeating: 7, count: 32)
        return unsafe SecretBytes(copying: bytes.span.bytes)
    }

    /// Returns the value of an expression as an SQL literal.
    func ask(_ expression: String) throws -> String {
        try connection.text("SELECT quote(\(expression))") ?? "nothing"
    }

    /// Returns whether two expressions have the same value and type.
    func agree(_ left: String, _ right: String) throws -> Bool {
        try connection.integer("SELECT \(left) IS \(right) AND typeof(\(left)) = typeof(\(right))") == 1
    }
}

/// An SQL literal of the JSONB of a JSON text.
func jsonb(_ json: String) throws -> String {
    let bytes = try JSONB.parse(Array(json.utf8), requiresObject: false)
    return "x'" + bytes.map { String(format: "%02X", $0) }.joined() + "'"
}

/// Bodies with every type of value, in many orders.
let sampleBodies = [
    "{}", #"{"x":null}"#, #"{"x":false}"#, #"{"x":true}"#, #"{"x":-1.5e3}"#, #"{"x":0}"#, #"{"x":1}"#, #"{"x":1.0}"#,
    #"{"x":9007199254740993}"#, #"{"x":""}"#, #"{"x":"1"}"#, #"{"x":"é\n"}"#, #"{"x":[]}"#, #"{"x":[1,null]}"#,
    #"{"x":{}}"#, #"{"x":{"b":1,"a":true}}"#,
]
