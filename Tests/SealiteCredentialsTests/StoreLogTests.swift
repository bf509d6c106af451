import SealiteCrypto
import SealiteFile
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

@Suite("logs of credential stores")
struct StoreLogTests {
    private static let marker = "mArKeR-5ecret"
    private let log = CollectedLog()

    private func policy(_ folder: VaultFolder, _ passphrase: String) -> StorePolicy {
        var policy = StorePolicy(
            choice: .vault, vaultPath: folder.file(Self.marker), vaultKey: .passphrase(secret(passphrase)))
        policy.makesVault = true
        policy.newVaultCost = Scrypt.Cost(logN: 10)
        policy.logger = log.logger
        return policy
    }

    @Test("a vault's making, use and opening with a wrong passphrase are told without secrets, accounts and labels")
    func vault() async throws {
        let folder = try VaultFolder()
        let opened = try await Credentials.openStore(policy: policy(folder, Self.marker))
        #expect(log.count(of: "info opened the credential store", "store=vault", "new=true") == 1)
        let reference = try reference("wss://h:4984/\(Self.marker)", Self.marker)
        try await opened.store.save(Self.marker, reference, label: Self.marker)
        #expect(try await opened.store.text(reference) == Self.marker)
        #expect(try await opened.store.list(service: reference.service, access: .patient).items.count == 1)
        try await opened.store.remove(reference, access: .patient)
        #expect(await code { try await opened.store.read(reference, access: .patient) } == .notFound)
        for (level, call) in [("info", "save"), ("debug", "read"), ("debug", "list"), ("info", "remove")] {
            #expect(log.count(of: "\(level) credential store answered", "call=\(call)", "peer=h:4984") == 1)
        }
        #expect(log.count(of: "debug no such credential", "call=read", "code=not-found", "kinds=[\"password\"]") == 1)
        await opened.vault?.lock()
        #expect(await code { try await opened.store.read(reference, access: .patient) } == .locked)
        #expect(log.count(of: "warning credential store refused", "call=read", "code=locked") == 1)
        let refused = await code { try await Credentials.openStore(policy: policy(folder, "not " + Self.marker)) }
        #expect(refused == .wrongPassphrase)
        #expect(log.count(of: "error the credential store can't be opened", "code=wrong-passphrase") == 1)
        #expect(!log.lines.joined().contains(Self.marker))
    }

    @Test("without a logger the store is the vault itself")
    func silent() async throws {
        let folder = try VaultFolder()
        var policy = policy(folder, Self.marker)
        policy.logger = nil
        let opened = try await Credentials.openStore(policy: policy)
        #expect(opened.store is VaultStore)
    }
}
