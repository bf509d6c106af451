import FoundationEssentials
import SealiteCrypto

/// What a database was when it was last recorded, kept where the database isn't. `Documentation/FORMAT.md` §15.
///
/// It holds no secret: the digest is keyed.
public struct FreshnessRecord: Sendable, Equatable {
    /// The database id, 32 hex digits.
    public let databaseID: String
    /// The epoch of the header.
    public let epoch: UInt32
    /// The header's freshness counter, raised by one for each record.
    public let counter: UInt64
    /// The serial of page 1: which transaction wrote it last.
    public let serial: UInt32
    /// The keyed digest of page 1, 32 bytes.
    let digest: [UInt8]

    static let format = "sealite freshness 1"
    static let byteLimit = 4096
}

extension FreshnessRecord {
    /// The members as they stand in the file, in its order.
    private struct Members: Codable {
        var format: String
        var databaseID: String
        var epoch: UInt32
        var counter: String
        var serial: UInt32
        var digest: String

        static let names: Set<String> = ["format", "databaseID", "epoch", "counter", "serial", "digest"]
    }

    /// Only the member that says how to read the others.
    private struct Head: Decodable {
        var format: String
    }

    private struct AnyName: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The names of an object's members.
    private struct Names: Decodable {
        var names: Set<String>
        init(from decoder: any Decoder) throws {
            names = Set(try decoder.container(keyedBy: AnyName.self).allKeys.map(\.stringValue))
        }
    }

    /// Reads a record; `path` is for the error.
    init(parsing bytes: [UInt8], path: String) throws(SealedFileError) {
        let data = Data(bytes)
        let decoder = JSONDecoder()
        guard bytes.count <= Self.byteLimit, let head = try? decoder.decode(Head.self, from: data) else {
            throw .notAFreshnessRecord(path)
        }
        guard head.format == Self.format else {
            throw SealedFileError(
                .unsupportedVersion, "the freshness record \"\(path)\" has a format that this version doesn't know",
                hint: "check it with a newer Sealite")
        }
        guard let members = try? decoder.decode(Members.self, from: data),
            let names = try? decoder.decode(Names.self, from: data).names, names == Members.names,
            members.epoch != 0, let counter = UInt64(members.counter), members.counter.utf8.first != UInt8(ascii: "+"),
            hexBytes(members.databaseID).count == 16, hexBytes(members.digest).count == 32
        else { throw .notAFreshnessRecord(path) }
        databaseID = members.databaseID.lowercased()
        epoch = members.epoch
        self.counter = counter
        serial = members.serial
        digest = hexBytes(members.digest)
    }

    func encoded() -> [UInt8] {
        // Written out by hand for a fixed order and no escapes: every value is digits.
        Array(
            """
            {
              "format": "\(Self.format)",
              "databaseID": "\(databaseID)",
              "epoch": \(epoch),
              "counter": "\(counter)",
              "serial": \(serial),
              "digest": "\(digest.hex)"
            }

            """.utf8)
    }

    /// What the digest covers in front of page 1.
    static func digestPrefix(databaseID: [UInt8], epoch: UInt32, counter: UInt64, serial: UInt32) -> [UInt8] {
        var counterBytes = [UInt8](repeating: 0, count: 8)
        counterBytes.write(counter, at: 0)
        return Array("Sealite 1 freshness record".utf8) + databaseID + [UInt8].littleEndian(epoch) + counterBytes
            + [UInt8].littleEndian(serial)
    }
}

extension SealedFileError {
    static func notAFreshnessRecord(_ path: String) -> SealedFileError {
        SealedFileError(
            .invalidArgument, "\"\(path)\" isn't a freshness record",
            hint: "name the file that '--freshness' wrote, or move this one away to begin a new record")
    }
}
