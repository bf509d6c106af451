import SealiteTransportTestSupport
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import Testing

@testable import SealiteReplicator

@Suite("whom a listener lets in", .takesSocketTurn)
struct ListenerAccessTests {
    private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

    @Test("as it is made a configuration is for this machine, and doesn't start before it says who may connect")
    func defaults() async throws {
        let database = try SyncDatabase()
        var configuration = ListenerConfiguration(collections: [database.collection], databaseName: "db")
        for interface in ["127.0.0.1", nil] {
            configuration.networkInterface = interface
            let listener = ReplicationListener(configuration)
            do throws(ReplicatorError) {
                try await listener.start()
                Issue.record("it started")
            } catch {
                #expect(error.code == .invalidConfiguration)
                #expect(error.reason.contains("passwordCheck") && error.reason.contains("access = .anyone"))
            }
            #expect(listener.port == nil)
        }
        configuration = ListenerConfiguration(collections: [database.collection], databaseName: "db")
        configuration.access = .anyone
        let listener = ReplicationListener(configuration)
        try await listener.start()
        #expect(listener.urls.count == 1 && listener.urls[0].hasPrefix("wss://127.0.0.1:"))
        await listener.stop()
        configuration.passwordCheck = { _, _ in true }
        await #expect(throws: ReplicatorError(.invalidConfiguration, "")) {
            try await ReplicationListener(configuration).start()
        }
        configuration.access = .authenticated
        let checked = ReplicationListener(configuration)
        try await checked.start()
        await checked.stop()
    }

    @Test("passwords cross no network without TLS, unless that is said")
    func unencryptedPasswords() async throws {
        let database = try SyncDatabase()
        var configuration = ListenerConfiguration(collections: [database.collection], databaseName: "db")
        configuration.isEncrypted = false
        configuration.passwordCheck = { _, _ in true }
        for interface in [nil, "0.0.0.0", "192.0.2.1", "::", "none"] {
            configuration.networkInterface = interface
            do throws(ReplicatorError) {
                try configuration.checkPasswords()
                Issue.record("passwords would be asked for at \(interface ?? "all")")
            } catch {
                #expect(error.code == .invalidConfiguration && error.reason.contains("allowsUnencryptedCredentials"))
            }
        }
        for interface in ["127.0.0.1", "127.1.2.3", "::1", "lo"] {
            configuration.networkInterface = interface
            try configuration.checkPasswords()
        }
        configuration.networkInterface = nil
        await #expect(throws: ReplicatorError(.invalidConfiguration, "")) {
            try await ReplicationListener(configuration).start()
        }
        configuration.allowsUnencryptedCredentials = true
        let listener = ReplicationListener(configuration)
        try await listener.start()
        await listener.stop()
        configuration.allowsUnencryptedCredentials = false
        configuration.isEncrypted = true
        try configuration.checkPasswords()
    }

    /// Counts what is asked of a store.
    private actor CountedStore: CredentialStore {
        nonisolated let name = "a counted store"
        private let store = InMemoryStore()
        private(set) var asked: [String] = []

        func save(
            _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
            access: CredentialAccess
        ) async throws(CredentialError) {
            try await store.save(credential, service: service, account: account, label: label, access: access)
        }

        func read(
            _ reference: CredentialReference, access: CredentialAccess
        ) async throws(CredentialError) -> Credential {
            asked.append(reference.account)
            return try await store.read(reference, access: access)
        }

        func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
            try await store.remove(reference, access: access)
        }

        func list(
            service: CredentialService?, access: CredentialAccess
        ) async throws(CredentialError) -> CredentialListing {
            try await store.list(service: service, access: access)
        }
    }

    @Test("the store is asked once for each login, whether there is such a user or not")
    func unknownUsers() async throws {
        let store = CountedStore()
        let service = try CredentialService("notes")
        for user in ["ana", "ben"] {
            let password = Credential.password(secret(user))
            try await store.save(password, service: service, account: user, label: nil, access: .silent)
        }
        let listed = store.passwordCheck(for: service, users: ["ana", "zoe"])
        let all = store.passwordCheck(for: service)
        for (user, isRight) in [
            ("ana", true), ("ben", false), ("eve", false), ("zoe", false), ("", false), ("a\0", false),
        ] {
            let before = await store.asked.count
            #expect(try await listed(user, SharedSecret(secret("ana"))) == isRight, "\(user)")
            #expect(try await all(user, SharedSecret(secret("ana"))) == isRight, "\(user)")
            #expect(await store.asked.count == before + 2, "\(user)")
        }
        // Who isn't let in never has a password of another checked for what is stored under that name.
        #expect(await !store.asked.prefix(4).contains("eve"))
    }

    @Test("a check against a credential store takes what is stored at that moment, of the users that may connect")
    func stored() async throws {
        let store = InMemoryStore()
        let service = try CredentialService("notes")
        for (user, password) in [("ana", "one"), ("ben", "two")] {
            try await store.save(.password(secret(password)), service: service, account: user)
        }
        let check = store.passwordCheck(for: service, users: ["ana"])
        let all = store.passwordCheck(for: service)
        #expect(try await check("ana", SharedSecret(secret("one"))))
        for (user, password) in [
            ("ana", "two"), ("ana", ""), ("ben", "two"), ("eve", "one"), ("", "one"), ("a\0", "one"),
        ] {
            #expect(try await !check(user, SharedSecret(secret(password))), "\(user)")
        }
        #expect(try await all("ben", SharedSecret(secret("two"))))
        #expect(try await !all("eve", SharedSecret(secret("two"))))
        try await store.save(.password(secret("three")), service: service, account: "ana")
        #expect(try await !check("ana", SharedSecret(secret("one"))))
        await store.setLocked(true)
        await #expect(throws: CredentialError.self) { _ = try await check("ana", SharedSecret(secret("three"))) }
        await store.setLocked(false)
        try await store.remove(CredentialReference(service: service, account: "ana", kind: .password))
        #expect(try await !check("ana", SharedSecret(secret("three"))))
    }

    @Test("a replicator gets in with the password that the listener's store holds")
    func overTheNetwork() async throws {
        let (ours, theirs) = (InMemoryStore(), InMemoryStore())
        let service = try CredentialService("notes")
        try await theirs.save(.password(secret("right")), service: service, account: "ana")
        let pair = try await NetworkPair.start { $0.passwordCheck = theirs.passwordCheck(for: service) }
        try pair.client.save("mine", "{}")
        await #expect(throws: ReplicatorError(.http(401), "")) { try await pair.replicator().run() }
        let target = try CredentialService(try pair.target.description)
        try await ours.save(.password(secret("right")), service: target, account: "ana")
        try await pair.replicator { $0.authenticator = BasicAuthenticator(store: ours) }.run()
        #expect(try pair.server.json("mine") == "{}")
        await pair.listener.stop()
    }
}
