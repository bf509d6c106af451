import Foundation
import SealiteCredentials
import SealiteTestSupport
import Testing

/// Each in a process of its own: a process has one session bus for good.
@Suite("a store where there is no session bus")
struct SecretServiceEnvironmentTests {
    @Test("without a bus address the error says that there is no session bus")
    func noBus() async {
        await #expect(processExitsWith: .success) {
            for name in ["DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"] { unsafe unsetenv(name) }
            unsafe setenv("XDG_RUNTIME_DIR", "/nonexistent", 1)
            #expect(await code { try await SecretServiceStore().list() } == .noSessionBus)
            let log = CollectedLog()
            let opened = await code {
                var policy = StorePolicy()
                policy.heedsSetting = false
                policy.logger = log.logger
                _ = try await Credentials.openStore(policy: policy)
            }
            #expect(opened == .noSessionBus)
            #expect(log.count(of: "error there is no credential store", "code=no-session-bus") == 1)
        }
    }

    @Test("an address where nobody listens is no session bus")
    func deadAddress() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            let error = await failure { try await SecretServiceStore().read(reference("h")) }
            #expect(error?.code == .noSessionBus)
            #expect(error?.hint != nil)
        }
    }

    @Test("a bus that accepts and never answers ends at the time limit", .endsIfItHangs)
    func silentBus() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.path + "/sealite-bus-\(UUID().uuidString)"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            // It has its name once it listens.
            let program = """
                import os, socket, sys, time
                s = socket.socket(socket.AF_UNIX)
                s.bind(sys.argv[1] + ".new")
                s.listen()
                os.rename(sys.argv[1] + ".new", sys.argv[1])
                time.sleep(600)
                """
            let listener = try SupervisedProcess(
                ["/usr/bin/python3", "-c", program, folder + "/bus"], environment: ["PATH": "/usr/bin:/bin"])
            defer { listener.kill() }
            await eventually("the bus listens") { FileManager.default.fileExists(atPath: folder + "/bus") }
            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(folder)/bus", 1)
            let access = CredentialAccess(allowsInteraction: false, timeLimit: .milliseconds(500))
            #expect(await code { try await SecretServiceStore().list(service: nil, access: access) } == .timedOut)
        }
    }

    @Test("a bus that ends neither ends the process nor makes credentials absent; a new one is found")
    func busEnds() async {
        await #expect(processExitsWith: .success) {
            let store = SecretServiceStore()
            let keyring = try await Keyring.gnome()
            let reference = try reference("h")
            try await store.save(.password(secret("one")), service: reference.service, account: "ana")
            try keyring.restartBus()
            await eventually("the lost bus is noticed") {
                [.noSessionBus, .noProvider].contains(await code { try await store.read(reference) })
            }
            try await keyring.startGnomeKeyring()
            #expect(text(try await store.read(reference)) == "one")
            keyring.end()
        }
    }
}
