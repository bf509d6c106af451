import Foundation
import SealiteCrypto
import SealiteFile
import SealiteMaintenance
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

@Suite("the vault")
struct VaultStoreTests {
    private let folder: VaultFolder

    init() throws { folder = try VaultFolder() }

    @Test("what was saved is read, replaced, listed and removed, also by a vault that is opened anew")
    func life() async throws {
        let vault = try await folder.make()
        let notes = try reference("wss://sync.example.com/notes")
        #expect(await code { try await vault.read(notes, access: .patient) } == .notFound)
        #expect(try await vault.list(service: nil, access: .patient).items.isEmpty)
        try await vault.save("one", notes, label: "mine")
        try await vault.save("two", notes)
        try await vault.save("three", reference("other", ""))
        let again = try await folder.open()
        #expect(try await again.text(notes) == "two")
        let items = try await again.list(service: notes.service, access: .patient).items
        #expect(items.map(\.reference) == [notes])
        #expect(items.first?.label == "mine")
        #expect(try await again.list(service: nil, access: .patient).items.count == 2)
        try await again.remove(notes, access: .patient)
        #expect(await code { try await vault.remove(notes, access: .patient) } == .notFound)
        #expect(await code { try await vault.read(notes, access: .patient) } == .notFound)
    }

    @Test("every kind comes back as it was, and a secret of 1 MiB too")
    func kinds() async throws {
        let vault = try await folder.make()
        let service = try CredentialService("https://h/db")
        let large = [UInt8](repeating: 0xFE, count: 1 << 20)
        let end = Date(timeIntervalSince1970: 2_000_000_000)
        let slot = [UInt8](repeating: 3, count: 16)
        try await vault.save(.password(secret(large)), service: service, account: "a", label: nil, access: .patient)
        try await vault.save(
            .session(SessionCredential(sessionID: secret("s1"), cookieName: "c", expires: end)), service: service,
            account: "a", label: nil, access: .patient)
        try await vault.save(
            .clientIdentity(ClientIdentityCredential(certificates: [[1, 2], [3]], privateKey: secret("k"))),
            service: service, account: "a", label: nil, access: .patient)
        try await vault.save(
            .slotKey(SlotKeyCredential(slotID: slot, databaseID: slot, key: VaultFolder.key())),
            service: .keySlot(slot), account: "", label: nil, access: .patient)
        let password = try await vault.read(reference("https://h/db", "a"), access: .patient)
        guard case .password(let found) = consume password else { return #expect(Bool(false), "not a password") }
        #expect(bytes(found) == large)
        let session = try await vault.read(reference("https://h/db", "a", .session), access: .patient)
        guard case .session(let read) = consume session else { return #expect(Bool(false), "not a session") }
        #expect(text(read.sessionID) == "s1" && read.cookieName == "c" && read.expires == end)
        let identity = try await vault.read(reference("https://h/db", "a", .clientIdentity), access: .patient)
        guard case .clientIdentity(let chain) = consume identity else { return #expect(Bool(false), "no identity") }
        #expect(chain.certificates == [[1, 2], [3]] && text(chain.privateKey) == "k")
        let key = try await vault.read(.slotKey(slot), access: .patient)
        guard case .slotKey(let slotKey) = consume key else { return #expect(Bool(false), "not a slot key") }
        #expect(bytes(slotKey.key) == bytes(VaultFolder.key()))
    }

    @Test("a passphrase opens it, another doesn't, and the recovery key does")
    func secrets() async throws {
        let recoveryKey = try RecoveryKey()
        let vault = try await VaultStore.create(
            at: folder.file(), secret: .passphrase(secret("open sesame"), cost: Scrypt.Cost(logN: 10)),
            recoveryKey: recoveryKey)
        try await vault.save("one", reference("h"))
        #expect(
            await code { try await VaultStore.open(at: folder.file(), key: .passphrase(secret("sesame"))) }
                == .wrongPassphrase)
        #expect(
            try await VaultStore.open(at: folder.file(), key: .passphrase(secret("open sesame"))).text(reference("h"))
                == "one")
        #expect(
            try await VaultStore.open(at: folder.file(), key: .recoveryKey(recoveryKey)).text(reference("h")) == "one")
    }

    @Test("locked, it says so and loses nothing; its key opens it again")
    func locking() async throws {
        let vault = try await folder.make()
        try await vault.save("one", reference("h"))
        await vault.lock()
        #expect(await vault.isLocked)
        #expect(await code { try await vault.read(reference("h"), access: .patient) } == .locked)
        #expect(await code { try await vault.list(service: nil, access: .patient) } == .locked)
        #expect(await code { try await vault.save("two", reference("h")) } == .locked)
        #expect(await code { try await vault.unlock(.rawKey(VaultFolder.key(8))) } == .wrongPassphrase)
        #expect(await vault.isLocked)
        try await vault.unlock(.rawKey(VaultFolder.key()))
        #expect(try await vault.text(reference("h")) == "one")
    }

    @Test("after its idle limit a vault locks itself, as often as it is unlocked")
    func idle() async throws {
        try await folder.make().save("one", reference("h"))
        let time = ManualTime()
        let vault = VaultStore(path: folder.file(), idleLimit: .seconds(60), vfs: .standard, time: time)
        try await vault.unlock(.rawKey(VaultFolder.key()))
        for _ in 0..<2 {
            time.advance(by: .seconds(59))
            #expect(try await vault.text(reference("h")) == "one")
            time.advance(by: .seconds(59))
            #expect(await !vault.isLocked)
            time.advance(by: .seconds(1))
            await eventually("the vault locked itself") { await vault.isLocked }
            #expect(await code { try await vault.read(reference("h"), access: .patient) } == .locked)
            try await vault.unlock(.rawKey(VaultFolder.key()))
        }
    }

    @Test("a rotation of its keys, and changes of its slots, leave every secret readable, also for who has it open")
    func rotation() async throws {
        let vault = try await folder.make()
        try await vault.save("one", reference("h"))
        let database = try folder.database()
        try database.addSlot(.rawKey(VaultFolder.key(9)), label: "second")
        try database.removeSlot(2)
        _ = try KeyRotation(of: database).run()
        #expect(try await vault.text(reference("h")) == "one")
        try await vault.save("two", reference("i"))
        let again = try await folder.open()
        #expect(try await again.text(reference("h")) == "one")
        #expect(try await again.text(reference("i")) == "two")
        #expect(try database.verify { _ in }.findings.isEmpty)
    }

    @Test("a backup of it is a vault")
    func backup() async throws {
        let vault = try await folder.make()
        try await vault.save("one", reference("h"))
        _ = try folder.database().backup(to: folder.file("backup.db"))
        #expect(try await folder.open("backup.db").text(reference("h")) == "one")
    }

    @Test("there being no vault is an error of its own, and so is one in its place")
    func missing() async throws {
        #expect(await code { try await folder.open() } == .noVault)
        #expect(
            await code { try await VaultStore.open(at: folder.file("no/vault.db"), key: .rawKey(VaultFolder.key())) }
                == .noVault)
        let vault = try await folder.make()
        #expect(await code { try await folder.make() } == .exists)
        try FileManager.default.removeItem(atPath: folder.file())
        #expect(await code { try await vault.read(reference("h"), access: .patient) } == .noVault)
    }

    @Test("what is no vault is refused: another sealed database, a plain one, an empty file, a newer vault")
    func strangers() async throws {
        _ = try SealedDatabase.create(folder.file("a.db"), slot: .rawKey(VaultFolder.key()))
        #expect(await code { try await folder.open("a.db") } == .invalidArgument)
        for (name, content) in [("b.db", Data("SQLite format 3\0".utf8)), ("c.db", Data())] {
            try content.write(to: URL(filePath: folder.file(name)))
            try folder.setMode(0o600, folder.file(name))
            #expect(await code { try await folder.open(name) } == .damaged)
        }
        _ = try await folder.make()
        try folder.database().connect().execute("PRAGMA user_version = 2")
        #expect(await code { try await folder.open() } == .unsupportedVersion)
    }
}
