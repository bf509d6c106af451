import Foundation
import SealiteCrypto
import SealiteFile
import Testing

@testable import SealiteCredentials

@Suite("what protects a vault")
struct VaultProtectionTests {
    private let folder: VaultFolder

    init() throws { folder = try VaultFolder() }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test("a vault makes its folder 0700 and its file 0600, whatever the umask")
    func modes() async throws {
        let path = folder.file("share/sealite/vault.db")
        let vault = try await VaultStore.create(at: path, secret: .rawKey(VaultFolder.key()))
        try await vault.save("one", reference("h"))
        #expect(try mode(path) == 0o600)
        #expect(try mode(folder.file("share/sealite")) == 0o700)
        #expect(try mode(folder.file("share")) == 0o700)
    }

    @Test(
        "a folder that can't be made is refused for the system's reason",
        .enabled(if: FileManager.default.fileExists(atPath: "/sys/kernel")))
    func unmadeFolder() {
        // No folder can be made in /sys, for reasons that differ between users and containers.
        let error = #expect(throws: CredentialError.self) { try VaultLocation.makeFolder(for: "/sys/sealite/vault.db") }
        let absence = unsafe String(cString: strerror(ENOENT))
        #expect(error?.code == .permission && error?.reason.contains(absence) == false)
    }

    @Test("a file or folder that others may reach is refused, also by a vault that is open")
    func loose() async throws {
        let vault = try await folder.make()
        for (path, loose, strict) in [(folder.file(), 0o640, 0o600), (folder.path, 0o750, 0o700)] {
            try folder.setMode(loose, path)
            #expect(await code { try await vault.read(reference("h"), access: .patient) } == .permission)
            #expect(await code { try await folder.open() } == .permission)
            try folder.setMode(strict, path)
        }
        try folder.setMode(0o755, folder.path)
        #expect(await code { try await folder.make("other.db") } == .permission)
        try folder.setMode(0o700, folder.path)
        #expect(await code { try await vault.read(reference("h"), access: .patient) } == .notFound)
    }

    @Test("what belongs to another user, a link and a folder in its place are refused")
    func foreign() async throws {
        _ = try await folder.make()
        #expect(await code { try VaultLocation.check(folder.file(), user: geteuid() + 1) } == .permission)
        #expect(await code { try VaultLocation.checkFolder(of: folder.file(), user: geteuid() + 1) } == .permission)
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: folder.file())
        #expect(await code { try await folder.open("link.db") } == .permission)
        try FileManager.default.createDirectory(atPath: folder.file("d.db"), withIntermediateDirectories: false)
        #expect(await code { try await folder.open("d.db") } == .permission)
    }

    @Test("SQLite sees no secret and not its length: only a sealed record, of a padded size")
    func sealedTwice() async throws {
        let vault = try await folder.make()
        for (index, length) in [1, 100, 252, 253].enumerated() {
            try await vault.save(String(repeating: "x", count: length), reference("h\(index)"))
        }
        var sizes: [Int] = []
        try folder.database().connect().query("SELECT sealed FROM credentials ORDER BY service") {
            (row) throws(SealedFileError) in
            let sealed = row.blob(0)
            sizes.append(sealed.count)
            #expect(String(decoding: sealed, as: UTF8.self).contains("xxxx") == false)
        }
        #expect(sizes == [256, 256, 256, 512].map { $0 + 40 })
    }

    @Test("a record under another reference, cut or changed is damage, never another's secret")
    func swapped() async throws {
        let vault = try await folder.make()
        try await vault.save("one", reference("h1"))
        try await vault.save("two", reference("h2"))
        let connection = try folder.database().connect()
        for change in [
            "(SELECT sealed FROM credentials WHERE service = 'h2')", "x''", "substr(sealed, 1, 295)",
            "zeroblob(296)", "CAST(sealed || x'00' AS BLOB)",
        ] {
            try connection.execute("UPDATE credentials SET sealed = \(change) WHERE service = 'h1'")
            #expect(await code { try await vault.read(reference("h1"), access: .patient) } == .damaged)
            #expect(try await vault.text(reference("h2")) == "two")
            try await vault.save("one", reference("h1"))
        }
        try connection.execute("UPDATE credentials SET service = 'https://H/' WHERE service = 'h1'")
        #expect(await code { try await vault.list(service: nil, access: .patient) } == .damaged)
        try connection.execute("UPDATE credentials SET service = 'h1', kind = 'novel' WHERE service = 'https://H/'")
        #expect(try await vault.list(service: nil, access: .patient).items.count == 1)
    }

    @Test("a sealed record with more padding than it needs, or other padding than zeros, is damaged")
    func padding() throws {
        let key = secret([UInt8](repeating: 7, count: 32))
        let reference = try reference("h")
        func opened(_ padded: [UInt8]) throws(CredentialError) -> [UInt8] {
            let sealed = try VaultTable.seal(padded: secret(padded), as: reference, key: key)
            return bytes(try VaultTable.open(sealed, as: reference, key: key))
        }
        let record: [UInt8] = [3, 0, 0, 0, 1, 2, 3]
        func padded(_ count: Int, _ last: UInt8 = 0) -> [UInt8] {
            record + [UInt8](repeating: 0, count: count - record.count - 1) + [last]
        }
        #expect(try opened(padded(256)) == [1, 2, 3])
        let damaged = [padded(512), padded(257), padded(256, 1), record, [], [0xFF, 0xFF, 0xFF, 0xFF] + padded(252)]
        for bytes in damaged {
            let error = #expect(throws: CredentialError.self) { try opened(bytes) }
            #expect(error?.code == .damaged)
        }
    }

    @Test("damage at any byte gives the right secret or an error, never absence")
    func damage() async throws {
        let vault = try await folder.make()
        let notes = try reference("https://h/notes")
        try await vault.save("one", notes)
        await vault.lock()
        let whole = try Data(contentsOf: URL(filePath: folder.file()))
        let isSoak = ProcessInfo.processInfo.environment["SEALITE_SOAK"] != nil
        var outcomes: [CredentialError.Code: Int] = [:]
        for offset in stride(from: 0, to: whole.count, by: isSoak ? 1 : 61) {
            var bytes = whole
            bytes[offset] ^= 0xFF
            let name = "damaged\(offset).db"
            try bytes.write(to: URL(filePath: folder.file(name)))
            try folder.setMode(0o600, folder.file(name))
            do {
                #expect(try await folder.open(name).text(notes) == "one")
            } catch let error as CredentialError {
                outcomes[error.code, default: 0] += 1
                #expect(error.code == .damaged, "byte \(offset): \(error)")
            }
            try FileManager.default.removeItem(atPath: folder.file(name))
        }
        #expect(outcomes[.damaged, default: 0] > 100)
    }
}
