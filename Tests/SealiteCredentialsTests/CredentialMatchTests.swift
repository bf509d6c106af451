import Foundation
import SealiteCrypto
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

@Suite("what one question to a store answers")
struct CredentialMatchTests {
    private let service: CredentialService
    init() throws { service = try CredentialService("wss://sync.example.com/notes") }

    private func fill(_ store: some CredentialStore) async throws {
        try await store.save(.password(secret("one")), service: service, account: "ana", label: nil, access: .patient)
        try await store.save(
            .session(SessionCredential(sessionID: secret("s1"))), service: service, account: "ana", label: nil,
            access: .patient)
        try await store.save(.bearer(secret("t1")), service: service, account: "ben", label: nil, access: .patient)
        try await store.save(.bearer(secret("t2")), service: service, account: "eve", label: nil, access: .patient)
        try await store.save(
            .password(secret("other")), service: try CredentialService("other"), account: "ana", label: nil,
            access: .patient)
    }

    private func check(_ store: some CredentialStore) async throws {
        try await fill(store)
        let all = try await store.match(
            service: service, account: nil, kinds: CredentialKind.endpointKinds, access: .patient)
        #expect(all.isComplete && all.references.count == 4)
        #expect(Set(all.wanted.map(\.kind)) == [.password, .session])
        #expect(text(try all.credential(reference(service.canonical, "ana"))) == "one")
        guard case .session(let session) = try all.credential(reference(service.canonical, "ana", .session)) else {
            throw Unexpected()
        }
        #expect(text(session.sessionID) == "s1")
        #expect(await code { try all.best(of: [.bearer]) } == .ambiguous)
        #expect(await code { try all.best(of: [.session, .bearer]) } == .ambiguous)
        #expect(await code { try all.best(of: [.clientIdentity]) } == .notFound)
        #expect(await code { try all.credential(reference("other", "ana")) } == .notFound)
        #expect(await code { try all.credential(reference(service.canonical, "ben", .bearer)) } == .ambiguous)
        let token = try await store.match(service: service, account: "eve", kinds: [.bearer], access: .patient)
        #expect(text(try token.credential(try token.best(of: [.bearer]))) == "t2")
    }

    @Test("the store in memory, a vault, and a store that only lists and reads answer alike")
    func stores() async throws {
        try await check(InMemoryStore())
        try await check(ListingStore())
        let folder = try VaultFolder()
        try await check(try await folder.make())
    }

    @Test("with an account that is named, a client identity without an account is no ambiguity")
    func sharedIdentity() async throws {
        let store = InMemoryStore()
        try await fill(store)
        let identity = ClientIdentityCredential(certificates: [[1]], privateKey: secret("k"))
        try await store.save(.clientIdentity(identity), service: service, account: "")
        let match = try await store.match(
            service: service, account: "ana", kinds: CredentialKind.endpointKinds, access: .silent)
        #expect(try match.best(of: [.password, .clientIdentity]).account == "ana")
        #expect(try match.best(of: [.clientIdentity, .password]).account == "")
    }

    @Test("what is wrong with a credential counts only where it is asked for")
    func damaged() async throws {
        let store = InMemoryStore()
        try await store.save(.password(secret("one")), service: service, account: "ana")
        var match = try await store.match(
            service: service, account: nil, kinds: [.password, .session], access: .silent)
        let session = try reference(service.canonical, "ana", .session)
        match.keep(CredentialError(.damaged, "it is torn"), as: session)
        #expect(await failure { try match.credential(session) }?.reason.contains("was not read: it is torn") == true)
        match.keep(.bearer(secret("t")), as: session)
        #expect(await code { try match.credential(session) } == .damaged)
        #expect(text(try match.credential(match.best(of: [.password]))) == "one")
        let listing = CredentialListing(items: [], isComplete: false)
        let partial = CredentialMatch(
            in: listing, of: "a store", service: service, account: nil, kinds: [.password, .session])
        #expect(await code { try partial.credential(session) } == .locked)
        await store.setLocked(true)
        let locked = try await store.match(service: service, account: nil, kinds: [.password], access: .silent)
        #expect(await code { try locked.credential(try locked.best(of: [.password])) } == .locked)
        #expect(await code { try locked.best(of: [.session]) } == .notFound)
    }

    /// A store outside the package, which has no way of its own to answer one question.
    private struct ListingStore: CredentialStore {
        let name = "a store that lists"
        let store = InMemoryStore()

        func save(
            _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
            access: CredentialAccess
        ) async throws(CredentialError) {
            try await store.save(credential, service: service, account: account, label: label, access: access)
        }
        func read(
            _ reference: CredentialReference, access: CredentialAccess
        ) async throws(CredentialError) -> Credential { try await store.read(reference, access: access) }
        func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
            try await store.remove(reference, access: access)
        }
        func list(
            service: CredentialService?, access: CredentialAccess
        ) async throws(CredentialError) -> CredentialListing { try await store.list(service: service, access: access) }
    }
}

extension SecretServiceTests {
    @Suite("one question to gnome-keyring")
    struct MatchTests {
        private let store = SecretServiceStore()

        @Test(
            "one question to gnome-keyring is a search for each form of the attributes, and each secret is fetched once"
        )
        func roundTrips() async throws {
            let keyring = try await Keyring.gnome()
            let service = try CredentialService("wss://sync.example.com/notes")
            try await store.save(.password(secret("one")), service: service, account: "ana")
            try await store.save(
                .session(SessionCredential(sessionID: secret("s1"))), service: service, account: "ana")
            let log = keyring.folder + "/monitor"
            let rule = "type='method_call',path_namespace='/org/freedesktop/secrets'"
            let monitor = try SupervisedProcess(
                ["dbus-monitor", "--address", "unix:path=\(keyring.folder)/bus", rule],
                environment: keyring.environment, output: log)
            defer { monitor.kill() }
            let calls = { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }
            func mark(_ name: String) async throws {
                let service = try CredentialService(name)
                await eventually("the monitor has seen \(name)") {
                    _ = try? await store.list(service: service, access: .patient)
                    return calls().contains("\"\(name)\"")
                }
            }
            try await mark("marker-1")
            try await mark("marker-2")
            let match = try await store.match(
                service: service, account: nil, kinds: CredentialKind.endpointKinds, access: .patient)
            try await mark("marker-3")
            #expect(match.wanted.count == 2)
            #expect(text(try match.credential(match.best(of: [.password]))) == "one")
            let seen = try #require(calls().components(separatedBy: "\"\(service.canonical)\"").last)
            let asked = try #require(seen.components(separatedBy: "\"marker-3\"").first)
            let whole = calls().components(separatedBy: "string \"\(service.canonical)\"").count - 1
            // The search that follows is that of the marker.
            #expect(whole == 2 && asked.components(separatedBy: "member=SearchItems").count - 1 == 1)
            #expect(asked.components(separatedBy: "member=GetSecret").count - 1 == 2)
            let between = try #require(calls().components(separatedBy: "\"marker-2\"").last)
            let total =
                try #require(between.components(separatedBy: "\"marker-3\"").first)
                .components(separatedBy: "method call ").count - 1
            // Nearly half of them are the marker's own.
            #expect(total <= 28, "\(total) calls")
        }
    }
}
