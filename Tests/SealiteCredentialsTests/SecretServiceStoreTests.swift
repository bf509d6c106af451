import Foundation
import SealiteCrypto
import Testing

@testable import SealiteCredentials

extension SecretServiceTests {
    @Suite("a store in gnome-keyring")
    struct StoreTests {
        private let store = SecretServiceStore()
        private let service = "wss://sync.example.com/notes"

        private func save(_ text: String, in store: SecretServiceStore? = nil) async throws {
            let service = try CredentialService(service)
            try await (store ?? self.store).save(.password(secret(text)), service: service, account: "ana")
        }

        @Test("what was saved is read, replaced in place, listed and removed")
        func life() async throws {
            _ = try await Keyring.gnome()
            let start = Date()
            let reference = try reference(service)
            #expect(await code { try await store.read(reference) } == .notFound)
            try await save("one")
            try await save("two")
            #expect(text(try await store.read(reference)) == "two")
            let listing = try await store.list()
            #expect(listing.items.map(\.reference) == [reference])
            #expect(listing.isComplete)
            #expect(listing.items.first?.label == "Sealite password of ana for https://sync.example.com/notes")
            #expect(try #require(listing.items.first?.modified) > start.addingTimeInterval(-2))
            try await store.remove(reference)
            #expect(await code { try await store.remove(reference) } == .notFound)
            #expect(try await store.list().items.isEmpty)
        }

        @Test("every kind reads back, without an account too")
        func kinds() async throws {
            _ = try await Keyring.gnome()
            let service = try CredentialService(service)
            try await store.save(.bearer(secret("token.token")), service: service, account: "")
            try await store.save(
                .session(SessionCredential(sessionID: secret("a1b2"), expires: Date(timeIntervalSince1970: 9))),
                service: service, account: "")
            try await store.save(
                .clientIdentity(ClientIdentityCredential(certificates: [[1, 2]], privateKey: secret([0, 255]))),
                service: service, account: "")
            let slot = [UInt8](repeating: 3, count: 16)
            try await store.save(
                .slotKey(
                    SlotKeyCredential(slotID: slot, databaseID: slot, key: secret([UInt8](repeating: 9, count: 32)))),
                service: .keySlot(slot), account: "", label: "notes.db", access: .patient)
            #expect(text(try await store.read(reference(self.service, "", .bearer))) == "token.token")
            guard case .session(let session) = try await store.read(reference(self.service, "", .session)),
                case .clientIdentity(let identity) = try await store.read(reference(self.service, "", .clientIdentity)),
                case .slotKey(let key) = try await store.read(.slotKey(slot))
            else { throw Unexpected() }
            #expect(text(session.sessionID) == "a1b2")
            #expect(session.expires == Date(timeIntervalSince1970: 9))
            #expect(bytes(identity.privateKey) == [0, 255])
            #expect(bytes(key.key) == [UInt8](repeating: 9, count: 32))
            #expect(try await store.list().items.count == 4)
            #expect(try await store.list(service: service, access: .patient).items.count == 3)
        }

        @Test("secrets of any bytes read back", arguments: [1, 15, 16, 17, 4095, 1 << 20])
        func binary(byteCount: Int) async throws {
            _ = try await Keyring.gnome()
            let password = try SecretBytes.random(byteCount: byteCount)
            let service = try CredentialService(service)
            try await store.save(.password(password.duplicate()), service: service, account: "é")
            guard case .password(let read) = try await store.read(reference(self.service, "é")) else {
                throw Unexpected()
            }
            #expect(read.isEqual(to: password) == true)
        }

        @Test("locked, nothing is read, saved, removed or called absent; unlocked again, everything is there")
        func locked() async throws {
            let keyring = try await Keyring.gnome()
            try await save("one")
            try await store.lock()
            let status = try await SecretServiceStore.status()
            #expect(status.defaultCollection?.isLocked == true)
            let (stored, other) = (try reference(service), try reference("other"))
            #expect(await code { try await store.read(stored) } == .locked)
            #expect(await code { try await store.read(other) } == .locked)
            #expect(await code { try await store.remove(stored) } == .locked)
            #expect(await code { try await save("two") } == .locked)
            #expect(await code { try await store.find(service: other.service, access: .patient) } == .locked)
            let listing = try await store.list()
            #expect(!listing.isComplete)
            #expect(listing.items.map(\.isLocked) == [true])
            try keyring.unlockGnomeKeyring()
            #expect(text(try await store.read(stored)) == "one")
            #expect(await code { try await store.read(other) } == .notFound)
        }

        @Test("a prompt that can't be shown is reported, and nothing is lost")
        func noPrompter() async throws {
            let keyring = try await Keyring.gnome()
            try await save("one")
            try await store.lock()
            let stored = try reference(service)
            #expect(await code { try await store.read(stored, access: .interactive) } == .promptDismissed)
            #expect(await code { try await store.unlock() } == .promptDismissed)
            try keyring.unlockGnomeKeyring()
            #expect(text(try await store.read(stored)) == "one")
        }

        @Test("a provider that was killed and started again is found again")
        func restarted() async throws {
            let keyring = try await Keyring.gnome()
            try await save("one")
            await keyring.stopProvider()
            let reference = try reference(service)
            #expect(await code { try await store.read(reference) } == .noProvider)
            #expect(await code { try await save("two") } == .noProvider)
            try await keyring.startGnomeKeyring()
            #expect(text(try await store.read(reference)) == "one")
            try await save("three")
            #expect(text(try await store.read(reference)) == "three")
        }

        @Test("the session collection is apart, and a credential moves between the two")
        func sessionCollection() async throws {
            _ = try await Keyring.gnome()
            let session = SecretServiceStore(collection: .session)
            let reference = try reference(service)
            try await save("one", in: session)
            #expect(await code { try await store.read(reference) } == .notFound)
            try await session.move(reference, to: store, access: .patient)
            #expect(text(try await store.read(reference)) == "one")
            #expect(await code { try await session.read(reference) } == .notFound)
        }

        @Test("a collection is found by its label, and one that isn't there is named")
        func namedCollection() async throws {
            _ = try await Keyring.gnome()
            let label = try #require(try await SecretServiceStore.status().defaultCollection?.label)
            let named = SecretServiceStore(collection: .named(label))
            try await save("one", in: named)
            #expect(text(try await store.read(reference(service))) == "one")
            let missing = SecretServiceStore(collection: .named("Nowhere"))
            let error = await failure { try await missing.list() }
            #expect(error?.code == .noCollection)
            #expect(error?.description.contains("\"\(label)\"") == true)
        }

        @Test("eight tasks at once save and read their own")
        func concurrent() async throws {
            _ = try await Keyring.gnome()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let service = try CredentialService("https://h/\(number)")
                        let access = CredentialAccess.patient
                        for round in 0..<5 {
                            let text = "secret \(number) \(round)"
                            try await store.save(
                                .password(secret(text)), service: service, account: "", label: nil, access: access)
                            let read = try await store.read(
                                CredentialReference(service: service, account: "", kind: .password), access: access)
                            #expect(SealiteCredentialsTests.text(read) == text)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await store.list().items.count == 8)
        }

        @Test("the status names the provider, its session and its collections")
        func status() async throws {
            _ = try await Keyring.gnome()
            let status = try await SecretServiceStore.status()
            #expect(status.provider == "gnome-keyring-d")
            #expect(status.isSessionEncrypted)
            #expect(status.defaultCollection != nil)
        }
    }
}
