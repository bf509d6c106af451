import Foundation
import Testing

@Suite("sealite login and logout")
struct LoginCommandTests {
    private let place: Workplace
    private let server: SessionServer
    private var url: String { server.url }

    init() throws {
        place = try Workplace()
        server = try SessionServer(in: place)
    }

    private func run(_ arguments: String..., input: String = "") throws -> Outcome {
        try place.run(
            [Tool.path] + arguments + ["--vault-key-file", "key"], input: input,
            environment: [
                "HOME": place.path, "XDG_DATA_HOME": place.file("data"), "XDG_CONFIG_HOME": place.file("config"),
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(place.file("no-bus"))",
            ])
    }

    @Test("a session is had with the stored password, kept, and given back")
    func session() throws {
        #expect(try run("credential", "set", url, "--user", "alice", input: "right").status == 0)
        let login = try run("login", url, "--json")
        #expect(login.status == 0, "\(login.err)")
        #expect(Outcome.object(login.out)?["kind"] as? String == "session")
        #expect(!login.out.contains("abc123") && !login.err.contains("abc123"))
        let kept = try run("credential", "get", url, "--kind", "session", "--reveal")
        #expect(kept.out == "abc123")
        let logout = try run("logout", url)
        #expect(logout.status == 0, "\(logout.err)")
        #expect(try run("credential", "get", url, "--kind", "session").status == 66)
        #expect(try run("credential", "get", url, "--kind", "password").status == 0)
        #expect(server.requests == "POST /db/_session alice\nDELETE /db/_session SyncGatewaySession=abc123\n")
    }

    @Test("each failure has its exit code, and a session stays until the server knows")
    func errors() throws {
        #expect(try run("credential", "set", url, "--user", "alice", input: "wrong").status == 0)
        let rejected = try run("login", url, "--json")
        #expect(rejected.status == 77 && rejected.json?["code"] as? String == "credentials-rejected")
        #expect(try run("login", url, "--user", "bob", "--no-input").status == 66)
        let none = try run("logout", url)
        #expect(none.status == 66 && none.err.hasSuffix("hint: log in with 'sealite login'\n"), "\(none)")
        let away = "ws://127.0.0.1:1/db"
        #expect(try run("credential", "set", away, "--user", "alice", input: "right").status == 0)
        #expect(try run("login", away).status == 69)
        try place.write("old", to: "session")
        #expect(try run("credential", "set", away, "--user", "alice", "--session-file", "session").status == 0)
        #expect(try run("logout", away).status == 69)
        #expect(try run("logout", away, "--local").status == 0)
        #expect(try run("logout", away, "--local").status == 66)
        #expect(try run("login", "a name").status == 64)
    }
}
