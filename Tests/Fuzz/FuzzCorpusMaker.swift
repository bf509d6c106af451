import CSQLite
import Foundation
import SealiteCrypto
import SealiteTestSupport
import Testing

@testable import SealiteFile

/// Makes the committed databases, and the first inputs as files of a folder that `scripts/make-fuzz-corpus.sh` packs. It never writes over a
/// file that is there.
@Suite(
    "the corpora of the fuzz targets, made on request",
    .enabled(if: ProcessInfo.processInfo.environment["SEALITE_MAKE_FUZZ_CORPUS"] != nil), .serialized)
struct FuzzCorpusMaker {
    private func keep(_ bytes: [UInt8], _ path: String, in folder: URL = FuzzStage.folder) throws {
        let file = folder.appending(path: path)
        guard !FileManager.default.fileExists(atPath: file.path) else { return }
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
    }

    /// A small database in a journal mode, as it is on disk while `body` has it open.
    private func make(
        _ name: String, mode: String, _ body: (RawConnection, () throws -> Void) throws -> Void
    ) throws {
        let disk = MemoryDisk()
        let vfs = try TestVFS(name: "make-\(name)", disk: disk)
        // The sealing VFS can't be unregistered, so what it stands on must stay.
        _ = unsafe Unmanaged.passRetained(vfs)
        let database = try SealedDatabase.create(
            FuzzStage.path, slot: .rawKey(secret(FuzzStage.key)),
            options: CreationOptions(
                pageSize: 1024, label: "raw",
                recoveryKey: try RecoveryKey(privateKey: secret([UInt8](repeating: 9, count: 32)))),
            vfs: VFSChoice(name: "sealite-make-\(name)", base: vfs.name))
        let connection = try database.connect()
        _ = try connection.text("PRAGMA journal_mode=\(mode)")
        try body(connection) {
            for suffix in ["", "-wal", "-journal"] {
                if let bytes = disk.image[path: FuzzStage.path + suffix] {
                    try self.keep(bytes, "databases/\(name).db\(suffix)")
                }
            }
        }
    }

    private func fill(_ connection: RawConnection, _ count: Int) throws(SealedFileError) {
        try connection.execute(
            """
            CREATE TABLE notes(id INTEGER PRIMARY KEY, body TEXT);
            WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < \(count))
            INSERT INTO notes(body) SELECT 'note ' || x || ' ' || hex(zeroblob(60)) FROM n;
            """)
    }

    @Test("databases")
    func databases() throws {
        try make("page", mode: "DELETE") { connection, snapshot in
            try fill(connection, 12)
            try connection.execute(
                """
                CREATE INDEX by_body ON notes(body);
                INSERT INTO notes(body) VALUES (hex(zeroblob(900)));
                CREATE TABLE gone(x); INSERT INTO gone VALUES (hex(zeroblob(1200))); DROP TABLE gone;
                """)
            try snapshot()
        }
        try make("wal", mode: "WAL") { connection, snapshot in
            try fill(connection, 6)
            _ = try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)")
            for index in 1...3 {
                try connection.execute("UPDATE notes SET body = 'commit \(index)' WHERE id = \(index)")
            }
            try connection.execute("INSERT INTO notes(body) VALUES (hex(zeroblob(700)))")
            try snapshot()
        }
        try make("journal", mode: "DELETE") { connection, snapshot in
            try fill(connection, 24)
            try connection.execute("PRAGMA cache_size=2; BEGIN; UPDATE notes SET body = 'half done ' || body")
            try snapshot()
            try connection.execute("ROLLBACK")
        }
    }

    @Test("inputs")
    func inputs() throws {
        var inputs: [String: [[UInt8]]] = [:]
        inputs["page"] = try PageFuzz().seeds()
        inputs["wal"] = try WALFuzz().seeds()
        inputs["journal"] = try JournalFuzz().seeds()
        inputs["foreign"] = try ForeignFuzz().seeds()
        inputs["header"] = try headers()
        inputs["json"] = JSONFuzz.seeds
        inputs["jsonb"] = try JSONBFuzz.seeds()
        inputs["delta"] = try DeltaFuzz.seeds()
        inputs["functions"] = try FunctionsFuzz.seeds()
        inputs["vectors"] = try VectorsFuzz.seeds()
        inputs["geometries"] = GeometriesFuzz.seeds
        inputs["vector-lists"] = VectorListsFuzz.seeds()
        inputs["revision-tree"] = try RevisionTreeFuzz.seeds()
        inputs["versions"] = try VersionsFuzz.seeds()
        inputs["query"] = QueryFuzz.seeds
        inputs["values"] = try ValuesFuzz.seeds()
        inputs["mongo"] = MongoFuzz.seeds
        inputs["schemas"] = SchemasFuzz.seeds
        inputs["match"] = MatchFuzz.seeds
        inputs["words"] = WordsFuzz.seeds
        inputs["cookies"] = CookiesFuzz.seeds
        inputs["endpoints"] = EndpointsFuzz.seeds
        inputs["vault"] = try VaultFuzz.seeds()
        inputs["x509-names"] = try X509NamesFuzz.seeds()
        inputs.merge(try identities()) { $1 }
        inputs.merge(try RecordedSeeds.all()) { $1 }
        let folder = URL(filePath: try #require(ProcessInfo.processInfo.environment["SEALITE_FUZZ_INPUTS"]))
        for (name, seeds) in inputs {
            for seed in seeds {
                let digest = try SHA256.digest(of: seed).prefix(8)
                try keep(seed, "\(name)/\(Array(digest).hex)", in: folder)
            }
        }
    }

    /// The certificates and keys of the tests, with the byte that says whether there is a passphrase.
    private func identities() throws -> [String: [[UInt8]]] {
        let folder = FuzzStage.folder.deletingLastPathComponent().appending(path: "Certificates")
        func file(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }
        let chain = try file("chain.pem")
        let (key, encrypted, other) = (
            try file("client.key"), try file("client-encrypted.key"), try file("other.key")
        )
        return [
            "pem": [[0] + chain + key, [1] + encrypted + chain, [0] + chain, [0] + key, [0] + other + chain],
            "pkcs12": try [
                "client.p12", "expired.p12", "legacy.p12", "no-certificate.p12", "no-key.p12",
                "PKCS12/openssl-no-mac.p12", "PKCS12/openssl-no-mac-plain-certificates.p12",
                "PKCS12/openssl-no-mac-legacy.p12", "PKCS12/openssl-few-iterations.p12", "PKCS12/pbmac1.p12",
                "PKCS12/java-two-keys.p12",
            ].map { [1] + (try file($0)) }
                + ["open.p12", "PKCS12/openssl-no-mac-plain.p12", "PKCS12/python-plain.p12"]
                .map { [0] + (try file($0)) },
        ]
    }

    /// The headers of golden files: every kind of slot, a damaged and a stale copy.
    private func headers() throws -> [[UInt8]] {
        let golden = FuzzStage.folder.deletingLastPathComponent().appending(path: "Golden")
        let own = try FuzzStage("page").files[""] ?? []
        var seeds = [[0] + own.prefix(8192), [1] + own.prefix(8192), [2] + own.prefix(4096), [0] + own.prefix(100)]
        for name in [
            "slot-passphrase", "slot-recovery", "slot-recovery-rotated", "slots-twelve", "header-stale-copy",
            "header-damaged-copy",
        ] {
            let bytes = [UInt8](try Data(contentsOf: golden.appending(path: name + ".db")))
            seeds.append([2] + bytes.prefix(8192))
        }
        return seeds
    }
}
