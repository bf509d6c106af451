import Foundation
import Glibc
import SealiteFile
import SealiteTestSupport
import Testing

#if DEBUG
    @Suite("CoreDumpTests: what a core of the tool would hold")
    struct CoreDumpTests {
        @Test(
            "a core of 'credential set' holds neither the password nor the vault's key, nor do its arguments and environment"
        )
        func credential() throws {
            let place = try Workplace()
            let environment = [
                "HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config"),
                "SEALITE_ALLOW_CORE_DUMPS": "1",
            ]
            let set = [Tool.path, "credential", "set", "h", "--vault-key-file", "key", "--store-timeout", "600"]
            #expect(try place.run(set + ["--user", "first"], input: "x", environment: environment).status == 0)
            let password = "needle-\(UUID().uuidString)"
            let control = "control-\(UUID().uuidString)"
            try place.write(password, to: "password")
            // The tool has read everything and waits for the vault.
            let holder = try place.open("data/sealite/vault.db").connect()
            try holder.execute("BEGIN IMMEDIATE")
            let child = try ChildProcess(
                set + ["--user", "ana", "--label", control, "--password-file", "password"], folder: place.path,
                environment: environment,
                files: [(0, "/dev/null", O_RDONLY), (1, "/dev/null", O_WRONLY), (2, "/dev/null", O_WRONLY)])
            var found = ProcessMemory(of: child.id, searching: Array(password.utf8))
            for _ in 0..<600 where found.leftOut == 0 {
                usleep(100_000)
                found = ProcessMemory(of: child.id, searching: Array(password.utf8))
            }
            #expect(found.leftOut > 0, "the tool never had the password")
            #expect(found.dumped == 0)
            #expect(ProcessMemory(of: child.id, searching: Array(control.utf8)).dumped > 0)
            #expect(ProcessMemory(of: child.id, searching: Workplace.key).dumped == 0)
            for name in ["cmdline", "environ"] {
                let text = String(
                    decoding: try Data(contentsOf: URL(filePath: "/proc/\(child.id)/\(name)")), as: UTF8.self)
                #expect(!text.isEmpty && !text.contains(password))
            }
            try holder.execute("COMMIT")
            #expect(child.wait() == 0)
        }
    }
#endif
