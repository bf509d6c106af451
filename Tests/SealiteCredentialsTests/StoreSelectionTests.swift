import Foundation
import SealiteCrypto
import SealiteFile
import Testing

@testable import SealiteCredentials

@Suite("whole stores as one file")
struct StoreTransferTests {
    private let folder: VaultFolder
    private let source = InMemoryStore()

    init() throws { folder = try VaultFolder() }

    private func fill() async throws {
        try await source.save("one", reference("https://h/db"), label: "mine")
        try await source.save(
            .session(SessionCredential(sessionID: secret("s"))), service: CredentialService("https://h/db"),
            account: "ana", label: nil, access: .patient)
        try await source.save("two", reference("name", ""))
    }

    private func export(_ name: String = "all.sealed") async throws {
        #expect(
            try await source.export(to: folder.file(name), secret: .rawKey(VaultFolder.key()), access: .patient) == 3)
    }

    @Test("everything that is exported is imported, with its labels, and once more without change")
    func life() async throws {
        try await fill()
        try folder.setMode(0o755, folder.path)
        try await export()
        let destination = InMemoryStore()
        let report = try await destination.importAll(
            from: folder.file("all.sealed"), key: .rawKey(VaultFolder.key()), access: .patient)
        #expect(report == ImportReport(importedCount: 3, unchangedCount: 0))
        #expect(try await destination.text(reference("https://h/db")) == "one")
        #expect(try await destination.list().items.map(\.label) == source.list().items.map(\.label))
        let again = try await destination.importAll(
            from: folder.file("all.sealed"), key: .rawKey(VaultFolder.key()), access: .patient)
        #expect(again == ImportReport(importedCount: 0, unchangedCount: 3))
    }

    @Test("an import replaces nothing unless told to, and changes nothing then")
    func conflicts() async throws {
        try await fill()
        try await export()
        let destination = InMemoryStore()
        try await destination.save("other", reference("name", ""))
        let refused = await code {
            try await destination.importAll(
                from: folder.file("all.sealed"), key: .rawKey(VaultFolder.key()), access: .patient)
        }
        #expect(refused == .exists)
        #expect(try await destination.list().items.count == 1)
        let report = try await destination.importAll(
            from: folder.file("all.sealed"), key: .rawKey(VaultFolder.key()), replacing: true, access: .patient)
        #expect(report.importedCount == 3)
        #expect(try await destination.text(reference("name", "")) == "two")
    }

    @Test(
        "an import that replaces also replaces what can't be read",
        arguments: [CredentialError.Code.damaged, .duplicate, .unsupportedVersion])
    func unreadable(_ fault: CredentialError.Code) async throws {
        try await fill()
        try await export()
        let destination = UnreadableStore(reference: try reference("name", ""), fault: fault)
        try await destination.store.save("other", destination.reference)
        for replacing in [false, true] {
            let result = await code {
                try await destination.importAll(
                    from: folder.file("all.sealed"), key: .rawKey(VaultFolder.key()), replacing: replacing,
                    access: .patient)
            }
            #expect(result == (replacing ? nil : fault))
        }
        #expect(try await destination.store.text(reference("name", "")) == "two")
    }

    /// A store in which one credential can't be read.
    private struct UnreadableStore: CredentialStore {
        let name = "a store with a fault"
        let store = InMemoryStore()
        let reference: CredentialReference
        let fault: CredentialError.Code

        func save(
            _ credential: consuming Credential, service: CredentialService, account: String, label: String?,
            access: CredentialAccess
        ) async throws(CredentialError) {
            try await store.save(credential, service: service, account: account, label: label, access: access)
        }
        func read(
            _ reference: CredentialReference, access: CredentialAccess
        ) async throws(CredentialError) -> Credential {
            guard reference != self.reference else { throw CredentialError(fault, "it can't be read") }
            return try await store.read(reference, access: access)
        }
        func remove(_ reference: CredentialReference, access: CredentialAccess) async throws(CredentialError) {
            try await store.remove(reference, access: access)
        }
        func list(
            service: CredentialService?, access: CredentialAccess
        ) async throws(CredentialError) -> CredentialListing { try await store.list(service: service, access: access) }
    }

    @Test("an export appears whole or not at all, doesn't replace a file, and opens by its key only")
    func faults() async throws {
        try await fill()
        await source.setLocked(true)
        #expect(
            await code {
                try await source.export(to: folder.file("a"), secret: .rawKey(VaultFolder.key()), access: .patient)
            } == .locked)
        #expect(!FileManager.default.fileExists(atPath: folder.file("a")))
        await source.setLocked(false)
        try await export()
        #expect(
            await code {
                try await source.export(
                    to: folder.file("all.sealed"), secret: .rawKey(VaultFolder.key()), access: .patient)
            } == .exists)
        #expect(
            await code {
                try await InMemoryStore().importAll(
                    from: folder.file("all.sealed"), key: .rawKey(VaultFolder.key(8)), access: .patient)
            } == .wrongPassphrase)
    }

    @Test("a vault's credentials move to another store and back")
    func move() async throws {
        let vault = try await folder.make()
        try await fill()
        for item in try await source.list().items {
            try await source.move(item.reference, to: vault, access: .patient)
        }
        #expect(try await source.list().items.isEmpty)
        #expect(try await vault.text(reference("https://h/db")) == "one")
        try await vault.move(reference("https://h/db"), to: source, access: .patient)
        #expect(try await source.text(reference("https://h/db")) == "one")
        #expect(await code { try await vault.read(reference("https://h/db"), access: .patient) } == .notFound)
    }
}
