import Foundation
import SealiteFileTestSupport

@testable import SealiteFile

/// `Fixtures/Format/vectors.json`, made by `Tests/Interop/make_vectors.py`.
struct FormatVectors: Decodable {
    struct Keys: Decodable {
        var databaseID, masterID, master, previousMasterID, previousMaster: String
        var fromMaster: [String: String]
        var pageKeys: [String: String]
        var fromPageKeys: [String: [String: String]]
    }

    struct Slot: Decodable {
        var kind, label, secret, kek, checkValue, associatedData, bytes: String
        var logN, r, p: Int
        var paper: String?
        /// Only of recovery slots of kind 4.
        var wrappedSecret: String?
        var fingerprint: String?
    }

    struct Freshness: Decodable {
        var applicationKey, record: String
    }

    struct Wrapped: Decodable {
        var nonce, associatedData, sealed, tag: String
        var epoch: UInt32?
        var pageKey: String?
    }

    struct Header: Decodable {
        var name, mac, checksum, bytes: String
        var pageSize: Int
        var generation, freshness: UInt64
        var epoch: Wrapped
        var previousEpoch: Wrapped?
        var bridge: Wrapped?
    }

    struct Rejection: Decodable {
        struct Change: Decodable {
            var offset: Int
            var bytes: String
        }
        var name, expect: String
        var changes: [Change]
    }

    struct Sealed: Decodable {
        var number, epoch, spare: UInt32
        var key, nonce, derivedKey, derivedNonce, associatedData, text, tag, sealed: String
        var kind: UInt32?
        var logicalOffset: Int64?
        var payloadByteCount, synced: Int?
        var pageNumber, commitPageCount: UInt32?
    }

    struct WAL: Decodable {
        var pageSize: Int
        var plainHeader, storedHeader: String
        var frames: [Sealed]
    }

    struct Journal: Decodable {
        var id, preamble: String
        var serial: UInt32
        var units: [Sealed]
    }

    var keys: Keys
    var slots: [Slot]
    var headers: [Header]
    var headerRejections: [Rejection]
    var pages: [Sealed]
    var wal: WAL
    var journal: Journal
    var freshness: Freshness

    static func load() throws -> FormatVectors {
        let path = Golden.root + "/Fixtures/Format/vectors.json"
        return try JSONDecoder().decode(FormatVectors.self, from: try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}
