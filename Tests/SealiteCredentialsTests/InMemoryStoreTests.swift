import Foundation
import SealiteCredentials
import Testing

@Suite("the store in memory, and what every store can do")
struct InMemoryStoreTests {
    private let store = InMemoryStore(now: { Date(timeIntervalSince1970: 1000) })
    private let service = "wss://sync.example.com/notes"

    private func save(_ text: String, _ account: String = "ana", to store: InMemoryStore? = nil) async throws {
        let service = try CredentialService(service)
        try await (store ?? self.store).save(.password(secret(text)), service: service, account: account)
    }

    @Test("what was saved is read, replaced, listed and removed")
    func life() async throws {
        let reference = try reference("https://sync.example.com/notes/")
        #expect(await code { try await store.read(reference) } == .notFound)
        try await save("one")
        try await save("two")
        #expect(text(try await store.read(reference)) == "two")
        let items = try await store.list().items
        #expect(items.map(\.reference) == [reference])
        #expect(items.first?.label == "Sealite password of ana for https://sync.example.com/notes")
        #expect(items.first?.created == Date(timeIntervalSince1970: 1000))
        try await store.remove(reference)
        #expect(await code { try await store.remove(reference) } == .notFound)
    }

    @Test("locked, it lists but neither reads, saves nor removes, and loses nothing")
    func locked() async throws {
        try await save("one")
        await store.setLocked(true)
        let reference = try reference(service)
        #expect(await code { try await store.read(reference) } == .locked)
        #expect(await code { try await store.remove(reference) } == .locked)
        #expect(try await store.list().items.first?.isLocked == true)
        await store.setLocked(false)
        #expect(text(try await store.read(reference)) == "one")
    }

    @Test("the store in memory fails as it is told to, and errors that pass say so")
    func failing() async throws {
        await store.fail(with: CredentialError(.noProvider, "gone"))
        let error = await failure { try await store.read(reference("h")) }
        #expect(error?.code == .noProvider)
        #expect(error?.isTransient == true)
        await store.fail(with: nil)
        #expect(try await store.list().items.isEmpty)
    }

    @Test("among several accounts the caller has to choose, and is told which there are")
    func ambiguous() async throws {
        try await save("one", "ana")
        try await save("two", "bob")
        let service = try CredentialService(service)
        let error = await failure { try await store.find(service: service) }
        #expect(error?.code == .ambiguous)
        #expect(error?.reason.contains(#""ana", "bob""#) == true)
        #expect(try await store.find(service: service, account: "bob").account == "bob")
    }

    @Test("of several kinds the client identity goes first, then the session, then the password")
    func preferredKind() async throws {
        let service = try CredentialService(service)
        try await save("one")
        try await store.save(.session(SessionCredential(sessionID: secret("s"))), service: service, account: "ana")
        #expect(try await store.find(service: service).kind == .session)
        let identity = ClientIdentityCredential(certificates: [[1]], privateKey: secret("k"))
        try await store.save(.clientIdentity(identity), service: service, account: "ana")
        #expect(try await store.find(service: service).kind == .clientIdentity)
        #expect(try await store.find(service: service, kinds: [.password]).kind == .password)
        #expect(
            await code { try await store.find(service: service, account: "bob") } == .notFound)
    }

    @Test("a credential moves to another store with its label, and is gone from the first")
    func move() async throws {
        let destination = InMemoryStore()
        let service = try CredentialService(service)
        try await store.save(.password(secret("one")), service: service, account: "ana", label: "mine", access: .silent)
        let reference = try reference(self.service)
        try await store.move(reference, to: destination)
        #expect(text(try await destination.read(reference)) == "one")
        #expect(try await destination.list().items.first?.label == "mine")
        // Another secret without a label leaves it.
        try await save("two", to: destination)
        #expect(try await destination.list().items.first?.label == "mine")
        #expect(try await store.list().items.isEmpty)
    }

    @Test("a move doesn't replace another credential unless told to")
    func moveOntoAnother() async throws {
        let destination = InMemoryStore()
        try await save("one")
        try await save("other", to: destination)
        let reference = try reference(service)
        let error = await failure {
            try await store.move(reference, to: destination)
        }
        #expect(error?.code == .exists)
        #expect(text(try await store.read(reference)) == "one")
        #expect(text(try await destination.read(reference)) == "other")
        try await store.move(reference, to: destination, replacing: true)
        #expect(text(try await destination.read(reference)) == "one")
    }

    @Test("a move to the store itself loses nothing")
    func moveToItself() async throws {
        try await save("one")
        let reference = try reference(service)
        for replacing in [false, true] {
            let error = await failure { try await store.move(reference, to: store, replacing: replacing) }
            #expect(error?.code == .invalidArgument)
            #expect(text(try await store.read(reference)) == "one")
        }
    }

    @Test("a move to a store that fails leaves the credential where it is")
    func moveToFailing() async throws {
        let destination = InMemoryStore()
        await destination.fail(with: CredentialError(.diskFull, "no room"))
        try await save("one")
        let reference = try reference(service)
        let error = await failure {
            try await store.move(reference, to: destination)
        }
        #expect(error?.code == .diskFull)
        #expect(text(try await store.read(reference)) == "one")
    }
}
