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
    private static let names: Set<String> = ["format", "databaseID", "epoch", "counter", "serial", "digest"]

    /// Reads a record; `path` is for the error.
    init(parsing bytes: [UInt8], path: String) throws(SealedFileError) {
        guard bytes.count <= Self.byteLimit, let members = FlatJSON.members(of: bytes),
            case .text(let format)? = members["format"]
        else { throw .notAFreshnessRecord(path) }
        guard format == Self.format else {
            throw SealedFileError(
                .unsupportedVersion, "the freshness record \"\(path)\" has a format that this version doesn't know",
                hint: "check it with a newer Sealite")
        }
        guard Set(members.keys) == Self.names, case .text(let databaseID)? = members["databaseID"],
            case .number(let epoch)? = members["epoch"], case .text(let counter)? = members["counter"],
            case .number(let serial)? = members["serial"], case .text(let digest)? = members["digest"],
            let epoch = UInt32(exactly: epoch), epoch != 0, let serial = UInt32(exactly: serial),
            let count = UInt64(counter), counter.utf8.first != UInt8(ascii: "+"),
            hexBytes(databaseID).count == 16, hexBytes(digest).count == 32
        else { throw .notAFreshnessRecord(path) }
        self.databaseID = databaseID.lowercased()
        self.epoch = epoch
        self.counter = count
        self.serial = serial
        self.digest = hexBytes(digest)
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
