import Foundation
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

extension SecretServiceTests {
    // A provider that hangs does so for good: a call without a limit would end no test.
    @Suite("a store whose provider misbehaves", .endsIfItHangs)
    struct FaultTests {
        private let store = SecretServiceStore(allowsUnencryptedSession: true)
        private let prompting = CredentialAccess(allowsInteraction: true, timeLimit: .milliseconds(700))
        private let silent = CredentialAccess(allowsInteraction: false, timeLimit: .milliseconds(700))
        @Test(
            "a prompt that nobody answers ends at the time limit, and the next call works",
            arguments: ["hang", "ignore-dismiss"])
        func unansweredPrompt(kind: String) async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--locked", "--prompt", kind, items: [FakeItem(reference, "one")])
            #expect(await code { try await store.read(reference, access: prompting) } == .timedOut)
            #expect(await code { try await store.read(reference) } == .locked)
        }

        @Test("a prompt that is dismissed is reported as that")
        func dismissedPrompt() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--locked", "--prompt", "dismiss", items: [FakeItem(reference, "one")])
            #expect(await code { try await store.read(reference, access: .interactive) } == .promptDismissed)
            #expect(await code { try await save(reference, "two", .interactive) } == .promptDismissed)
            #expect(await code { try await store.read(reference) } == .locked)
        }

        @Test("a prompt that is answered unlocks", arguments: [false, true])
        func answeredPrompt(hidesLocked: Bool) async throws {
            let reference = try reference("h")
            var options = ["--locked", "--prompt", "accept"]
            if hidesLocked { options.append("--hide-locked") }
            _ = try await Keyring.fake(options, items: [FakeItem(reference, "one")])
            #expect(text(try await store.read(reference, access: .interactive)) == "one")
            #expect(await code { try await store.read(self.reference("other")) } == .notFound)
        }

        private func reference(_ service: String) throws -> CredentialReference {
            try SealiteCredentialsTests.reference(service)
        }

        private func save(
            _ reference: CredentialReference, _ text: String, _ access: CredentialAccess = .patient
        ) async throws {
            try await store.save(
                .password(secret(text)), service: reference.service, account: reference.account, label: nil,
                access: access)
        }

        @Test("without leave to interact no prompt is asked for, and a provider that hides locked items proves nothing")
        func hiddenItems() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake(
                "--locked", "--hide-locked", "--prompt", "hang", items: [FakeItem(reference, "one")])
            #expect(await code { try await store.read(reference) } == .locked)
            #expect(await code { try await save(reference, "two") } == .locked)
            #expect(await code { try await store.remove(reference) } == .locked)
            let listing = try await store.list()
            #expect(listing.items.isEmpty)
            #expect(!listing.isComplete)
        }

        @Test("nothing is removed while a locked collection may hide a copy, which would survive")
        func hiddenCopy() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--other-locked", items: [FakeItem(reference, "one")])
            #expect(await code { try await store.remove(reference) } == .locked)
            #expect(text(try await store.read(reference)) == "one")
        }

        @Test(
            "a provider that never answers ends at the time limit",
            arguments: ["SearchItems", "GetSecret", "CreateItem"])
        func silence(method: String) async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake(
                "--hang", method, items: method == "CreateItem" ? [] : [FakeItem(reference, "one")])
            if method == "CreateItem" {
                #expect(await code { try await save(reference, "two", silent) } == .timedOut)
            } else {
                #expect(await code { try await store.read(reference, access: silent) } == .timedOut)
            }
            #expect(try await SecretServiceStore.status().defaultCollection != nil)
        }

        @Test("one session serves every call of the process, also after one that timed out or was refused")
        func oneSession() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake(
                "--sessions", "1", "--hang", "GetSecret", "--no-default", items: [FakeItem(reference, "one")])
            #expect(await code { try await store.read(reference, access: silent) } == .timedOut)
            #expect(await code { try await save(self.reference("other"), "two") } == .noCollection)
            #expect(try await store.list().items.count == 1)
        }

        @Test("a task that is cancelled stops waiting at once, before and during the call")
        func cancellation() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--hang", "SearchItems")
            let task = Task { await code { try await store.read(reference, access: .interactive) } }
            await letTimePass(.milliseconds(200), because: "the provider, which has the call by then, tells nobody")
            task.cancel()
            #expect(await task.value == .cancelled)
            let cancelled = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return await code { try await store.read(reference, access: .interactive) }
            }
            #expect(await cancelled.value == .cancelled)
        }

        @Test("a call behind one that waits for a prompt keeps its own time limit")
        func queued() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--locked", "--prompt", "hang", items: [FakeItem(reference, "one")])
            let waiting = Task {
                return await code { try await store.read(reference, access: .interactive) }
            }
            // One that comes before it is answered at once.
            await eventually("a call that has to wait behind it") {
                await code { try await store.read(reference, access: silent) } == .timedOut
            }
            waiting.cancel()
            #expect(await waiting.value == .cancelled)
        }

        @Test(
            "a provider that ends in the middle of a call is gone, not empty", arguments: ["SearchItems", "GetSecret"])
        func death(method: String) async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--die", method, items: [FakeItem(reference, "one")])
            #expect(await code { try await store.read(reference) } == .noProvider)
        }

        @Test("a provider that ends while it saves leaves an error")
        func deathWhileSaving() async throws {
            _ = try await Keyring.fake("--die", "CreateItem")
            #expect(await code { try await save(reference("h"), "one") } == .noProvider)
        }

        @Test("items under one reference with different secrets are an error that names them, until one is saved")
        func duplicates() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake(items: [
                FakeItem(reference, "one", label: "First", modified: 5),
                FakeItem(reference, "two", label: "Sec\u{1B}\nond"),
            ])
            let error = await failure { try await store.read(reference) }
            #expect(error?.code == .duplicate)
            #expect(error?.reason.contains(#""First", "Sec  ond""#) == true)
            #expect(try await store.list().items.count == 2)
            try await save(reference, "three")
            #expect(text(try await store.read(reference)) == "three")
            #expect(try await store.list().items.map(\.label) == ["First"])
        }

        @Test("a secret larger than any of ours is damaged, and says how large it is")
        func tooLarge() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--pad", "\(1 << 20)", items: [FakeItem(reference, "x")])
            let error = await failure { try await store.read(reference, access: .patient) }
            #expect(error?.code == .damaged && error?.reason.contains("1048577 bytes") == true, "\(error as Any)")
            try await save(reference, "ours")
            #expect(text(try await store.read(reference)) == "ours")
        }

        @Test("items under one reference with the same secret are one credential, and are removed together")
        func equalDuplicates() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake(items: [FakeItem(reference, "one"), FakeItem(reference, "one")])
            #expect(text(try await store.read(reference)) == "one")
            try await store.remove(reference)
            #expect(await code { try await store.read(reference) } == .notFound)
        }

        @Test("a provider that says it deleted and didn't is found out")
        func deniedDelete() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--deny-delete", items: [FakeItem(reference, "one")])
            #expect(await code { try await store.remove(reference) } == .providerFailed)
        }

        @Test("a provider that doesn't encrypt its sessions is refused, unless the program allows it")
        func plainSession() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake(items: [FakeItem(reference, "one")])
            let strict = SecretServiceStore()
            #expect(await code { try await strict.read(reference) } == .unencryptedSession)
            #expect(try await SecretServiceStore.status().isSessionEncrypted == false)
            #expect(text(try await store.read(reference)) == "one")
            #expect(try await strict.list().items.count == 1)
        }

        @Test("a provider without a default collection can be read, but not saved to")
        func noDefaultCollection() async throws {
            let reference = try reference("h")
            _ = try await Keyring.fake("--no-default", items: [FakeItem(reference, "one")])
            #expect(text(try await store.read(reference)) == "one")
            #expect(await code { try await save(self.reference("other"), "two") } == .noCollection)
        }

        @Test("a bus without a provider says so, and is no proof of absence")
        func noProvider() async throws {
            _ = try await Keyring.bus()
            let reference = try reference("h")
            let error = await failure { try await store.read(reference) }
            #expect(error?.code == .noProvider)
            #expect(error?.isTransient == true)
            #expect(
                error?.description
                    == "credential \"h\" for \"ana\" (password) was not read: no program on the session bus provides the "
                    + "Secret Service (start GNOME Keyring, KeePassXC (with its Secret Service switched on) or KWallet, or use a "
                    + "vault)")
            #expect(await code { try await SecretServiceStore.status() } == .noProvider)
        }
    }
}
