import SealiteCrypto
internal import SealiteFile
import SealiteJSON

/// The state of a database when it was last recorded, stored apart from the database. `Documentation/FORMAT.md` §15.
///
/// The record contains no secret: the digest and the MAC are keyed.
@dynamicMemberLookup
public struct FreshnessRecord: Sendable, Equatable {
    /// The numbers of the database when it was recorded.
    public let numbers: FreshnessNumbers
    /// The keyed digest of page 1, 32 bytes.
    let digest: [UInt8]
    /// The MAC of all other fields under a key derived from the file's application key, 32 bytes.
    private(set) var mac: [UInt8] = []

    static let byteLimit = 4096
    /// The label with which the MAC's key is derived from the file's application key. `Documentation/FORMAT.md` §4.6.
    static let keyLabel = "freshness record"

    /// Returns one of the numbers.
    public subscript<Number>(dynamicMember number: KeyPath<FreshnessNumbers, Number>) -> Number {
        numbers[keyPath: number]
    }
}

extension FreshnessRecord {
    private static let format = "sealite freshness 2"
    /// The format of records without a MAC, which was removed before the first release.
    private static let removedFormat = "sealite freshness 1"
    private static let names: Set<String> = [
        "format", "databaseID", "epoch", "counter", "generation", "serial", "digest", "mac",
    ]

    /// Creates a record. The digest covers page 1.
    init(
        numbers: FreshnessNumbers, digest: [UInt8], applicationKey: ApplicationKey
    ) throws(SealedFileError) {
        (self.numbers, self.digest) = (numbers, digest)
        mac = try authenticationCode(applicationKey)
    }

    /// Parses a record; `path` appears in the error.
    init(parsing bytes: [UInt8], path: String) throws(SealedFileError) {
        guard bytes.count <= Self.byteLimit, let members = FlatJSON.members(of: bytes),
            case .text(let format)? = members["format"]
        else { throw .notAFreshnessRecord(path) }
        guard format != Self.removedFormat else {
            throw SealedFileError(
                .unsupportedVersion,
                "the freshness record \"\(path)\" has no MAC: its format was removed before the first release",
                hint: MaintenanceRemedy.renewFreshnessRecord.hint)
        }
        guard format == Self.format else {
            throw SealedFileError(
                .unsupportedVersion,
                "the freshness record \"\(path)\" has a format that this version of Sealite doesn't know",
                hint: "use a newer version of Sealite with this record")
        }
        guard Set(members.keys) == Self.names, case .text(let databaseID)? = members["databaseID"],
            case .number(let epoch)? = members["epoch"], let counter = Self.digits(members["counter"]),
            let generation = Self.digits(members["generation"]), generation != 0,
            case .number(let serial)? = members["serial"], case .text(let digest)? = members["digest"],
            case .text(let mac)? = members["mac"], hexBytes(mac).count == 32,
            let epoch = UInt32(exactly: epoch), epoch != 0, let serial = UInt32(exactly: serial),
            hexBytes(databaseID).count == 16, hexBytes(digest).count == 32
        else { throw .notAFreshnessRecord(path) }
        numbers = FreshnessNumbers(
            databaseID: databaseID.lowercased(), epoch: epoch, counter: counter, generation: generation, serial: serial)
        (self.digest, self.mac) = (hexBytes(digest), hexBytes(mac))
    }

    /// Parses a number of up to 64 bits from a string, since JSON readers would round it.
    private static func digits(_ value: FlatJSON.Value?) -> UInt64? {
        guard case .text(let text)? = value, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt64(text)
    }

    func encoded() -> [UInt8] {
        // Formatted by hand for a fixed order without escapes: every value consists of digits.
        let lines = [
            "\"format\": \"\(Self.format)\"", "\"databaseID\": \"\(numbers.databaseID)\"",
            "\"epoch\": \(numbers.epoch)",
            "\"counter\": \"\(numbers.counter)\"", "\"generation\": \"\(numbers.generation)\"",
            "\"serial\": \(numbers.serial)", "\"digest\": \"\(digest.hex)\"", "\"mac\": \"\(mac.hex)\"",
        ]
        return Array("{\n  \(lines.joined(separator: ",\n  "))\n}\n".utf8)
    }

    /// Returns the bytes that the digest covers before page 1.
    static func digestPrefix(databaseID: [UInt8], epoch: UInt32, counter: UInt64, serial: UInt32) -> [UInt8] {
        Array("Sealite 1 freshness record".utf8) + databaseID + [UInt8].littleEndian(epoch)
            + [UInt8].littleEndian(counter) + [UInt8].littleEndian(serial)
    }

    // MARK: The MAC

    private var authenticated: [UInt8] {
        Array("Sealite 2 freshness record".utf8) + hexBytes(numbers.databaseID) + [UInt8].littleEndian(numbers.epoch)
            + [UInt8].littleEndian(numbers.counter) + [UInt8].littleEndian(numbers.generation)
            + [UInt8].littleEndian(numbers.serial) + digest
    }

    private func authenticationCode(_ applicationKey: ApplicationKey) throws(SealedFileError) -> [UInt8] {
        let key = try applicationKey.derive(Self.keyLabel)
        return try SealedFileError.mappingCrypto { () throws(CryptoError) in
            try HMACSHA256.authenticationCode(for: authenticated, key: key)
        }
    }

    /// Returns whether the record's MAC is valid under this application key; false if the file has none.
    func isAuthentic(under applicationKey: ApplicationKey?) throws(SealedFileError) -> Bool {
        guard let applicationKey else { return false }
        return constantTimeEqual(try authenticationCode(applicationKey), mac)
    }
}

extension SealedFileError {
    static func notAFreshnessRecord(_ path: String) -> SealedFileError {
        SealedFileError(
            .invalidArgument, "\"\(path)\" isn't a freshness record, or is a damaged one",
            hint: MaintenanceRemedy.nameFreshnessRecord.hint)
    }
}

/// A JSON object whose values are strings and whole numbers, the only kind in this module's own files.
enum FlatJSON {
    enum Value: Equatable {
        case text(String)
        case number(UInt64)
    }

    /// Returns the members of an object; nil for any other bytes, a repeated name, or an escape sequence, which this
    /// module never writes.
    static func members(of bytes: [UInt8]) -> [String: Value]? {
        guard !bytes.contains(UInt8(ascii: "\\")) else { return nil }
        var members: [String: Value] = [:]
        var reader = JSONMemberReader<JSONError>(bytes, rules: .records)
        do throws(JSONError) {
            try reader.object { (name, reader) throws(JSONError) in members[name] = try value(&reader) }
            try reader.end()
            return members
        } catch {
            return nil
        }
    }

    /// Reads a string, or a whole number of up to 64 bits without a sign, a fraction or an exponent.
    private static func value(_ reader: inout JSONMemberReader<JSONError>) throws(JSONError) -> Value {
        if try reader.peek() == .string { return .text(try reader.string()) }
        guard let number = UInt64(String(decoding: try reader.rawValue(), as: UTF8.self)) else {
            throw JSONError(.wrongKind, at: 0, "expected a whole number")
        }
        return .number(number)
    }
}

/// The numbers that distinguish a database from an older copy of itself.
public struct FreshnessNumbers: Sendable, Equatable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The epoch, that is, the number of the page key, that pages are sealed under, according to the header. Each key
    /// rotation raises it by one.
    public let epoch: UInt32
    /// The header's freshness counter, which each freshness record raises by one.
    public let counter: UInt64
    /// The header's generation, which each change of the header raises by one.
    public let generation: UInt64
    /// The page-one serial, which each transaction that writes page 1 raises, as a reader sees page 1, possibly in the
    /// write-ahead log.
    public let serial: UInt32
}

extension FreshnessNumbers {
    init(_ content: HeaderContent, serial: UInt32) {
        databaseID = content.databaseID.hex
        epoch = content.epoch.epoch
        counter = content.freshness
        generation = content.generation
        self.serial = serial
    }
}
