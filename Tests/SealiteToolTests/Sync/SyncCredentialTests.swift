import Foundation
import Glibc
import Testing

@Suite("credentials of sealite sync and sealite serve", .serialized)
struct SyncCredentialTests {
    private let sync: SyncPlace

    init() throws { sync = try SyncPlace() }

    /// The name of the service under which `sealite serve` keeps its credentials.
    private func service() throws -> String {
        // A file gets its tables of documents, and the id with them, from the first command about documents.
        _ = try sync.place.sealite("collection", "list", "server.db", "--key-file", "key")
        let info = try sync.place.sealite("info", "server.db", "--key-file", "key", "--json")
        return "sealite-serve:\(try #require(Outcome.object(info.out)?["serveID"] as? String))"
    }

    @Test("the password is the store's on both sides, at each connection; a wrong one is rejected")
    func password() throws {
        let service = try self.service()
        #expect(throws: SyncPlace.ServerFailed.self) { try sync.serve("--user", "ana") }
        #expect(try sync.server("credential", "set", service, "--user", "ana", input: "first").status == 0)
        let server = try sync.serve("--user", "ana")
        let trust = server.pin
        try sync.put("client.db", "mine")
        let without = try sync.sync(server.url, "--pin", trust, "--anonymous", "--json")
        #expect(without.status == 77, "\(without)")
        let new = try sync.place.sealite(
            "sync", "new.db", server.url, "--create", "-k", "key", "--pin", trust, "--anonymous")
        #expect(new.status == 77 && new.out == "made \"new.db\"\nremoved \"new.db\", which is empty\n", "\(new)")
        #expect(!sync.place.exists("new.db"))
        let vault = SyncPlace.vault("client")
        let noVault = try sync.sync(
            server.url, "--pin", trust, "--attempts", "1", vault[0], vault[1], vault[2], vault[3], "--json")
        #expect(noVault.status == 66, "\(noVault)")
        #expect(noVault.json?["code"] as? String == "no-vault")
        #expect(try sync.client("credential", "set", server.url, "--user", "ana", input: "wrong").status == 0)
        let eve = try sync.sync(server.url, "--pin", trust, "--user", "eve o")
        #expect(eve.status == 66 && eve.err.contains("\(server.url) --user 'eve o''"), "\(eve)")
        let wrong = try sync.sync(server.url, "--pin", trust, "--json")
        #expect(wrong.status == 77 && wrong.json?["code"] as? String == "credentials-rejected", "\(wrong)")
        #expect(try sync.client("credential", "set", server.url, "--user", "ana", input: "first").status == 0)
        let right = try sync.sync(server.url, "--pin", trust, "--user", "ana")
        #expect(right.status == 0 && right.out == "pushed 1, pulled 0, failed 0\n", "\(right)")
        // Both stores change while the server runs.
        #expect(try sync.server("credential", "set", service, "--user", "ana", input: "second").status == 0)
        let former = try sync.sync(server.url, "--pin", trust)
        #expect(former.status == 77 && former.err.contains("the password that is stored for"), "\(former)")
        #expect(former.err.contains("hint: replace it with 'sealite credential set"), "\(former)")
        #expect(try sync.client("credential", "set", server.url, "--user", "ana", input: "second").status == 0)
        #expect(try sync.sync(server.url, "--pin", trust).status == 0)
        #expect(server.end() == 0)
        for name in ["served", "served.errors"] {
            let text = String(decoding: try sync.place.read(name), as: UTF8.self)
            #expect(!text.contains("first") && !text.contains("second"))
        }
    }

    @Test("a session is had from a server that is known by its pin, and given back to it")
    func pinnedLogin() throws {
        let service = try self.service()
        #expect(try sync.server("credential", "set", service, "--user", "ana", input: "first").status == 0)
        let server = try sync.serve("--user", "ana")
        #expect(try sync.client("credential", "set", server.url, "--user", "ana", input: "first").status == 0)
        let stranger = try sync.client("login", server.url, "--json")
        #expect(stranger.status == 76 && stranger.json?["code"] as? String == "untrusted", "\(stranger)")
        #expect(try sync.client("login", server.url, "--pin", String(repeating: "0", count: 64)).status == 76)
        #expect(try sync.client("login", server.url, "--pin", server.pin).status == 0)
        try sync.put("client.db", "mine")
        #expect(try sync.sync(server.url, "--pin", server.pin).status == 0)
        #expect(try sync.client("logout", server.url, "--self-signed").status == 0)
        #expect(try sync.client("credential", "get", server.url, "--kind", "session").status == 66)
        #expect(server.end() == 0)
    }

    @Test("a client certificate comes from the store, and only one of the right issuer comes in")
    func certificates() throws {
        try sync.makeCertificates()
        let server = try sync.serve("--client-ca", "ca.pem")
        try sync.put("client.db", "mine")
        let without = try sync.sync(server.url, "--pin", server.pin, "--json")
        #expect(without.status == 77, "\(without)")
        // A password isn't what is missing.
        #expect(try sync.client("credential", "set", server.url, "--user", "ana", input: "first").status == 0)
        let password = try sync.sync(server.url, "--pin", server.pin)
        #expect(password.status == 77 && !password.err.contains("was refused"), "\(password)")
        #expect(password.err.contains("wants a client certificate") && password.err.contains("--identity FILE"))
        // Nor is it what is refused.
        let stranger = try sync.client(
            "credential", "set", server.url, "--certificate", "other.pem", "--private-key", "other.key")
        #expect(stranger.status == 0, "\(stranger)")
        for user in [[], ["--user", "ana"]] {
            let refused = try sync.sync(server.url, ["--pin", server.pin, "--json"] + user)
            #expect(refused.status == 77, "\(refused)")
            #expect(refused.json?["code"] as? String == "client-certificate-rejected")
            let hint = refused.json?["hint"] as? String ?? ""
            #expect(hint.contains("--identity FILE") && !"\(refused)".contains("password"), "\(refused)")
        }
        #expect(try sync.client("credential", "remove", server.url, "--kind", "password").status == 0)
        #expect(
            try sync.client("credential", "set", server.url, "--certificate", "me.pem", "--private-key", "me.key")
                .status
                == 0)
        let with = try sync.sync(server.url, "--pin", server.pin)
        #expect(with.status == 0 && with.out == "pushed 1, pulled 0, failed 0\n", "\(with)")
        #expect(server.end() == 0)
    }

    @Test("a server presents the identity of the store, which its issuer's certificate is enough to trust")
    func identity() throws {
        try sync.makeCertificates()
        let set = try sync.server(
            "credential", "set", "my server", "--certificate", "me.pem", "--private-key", "me.key")
        #expect(set.status == 0)
        let server = try sync.serve("--identity", "my server")
        #expect(try sync.sync(server.url, "--pin", "ca.pem").status == 76)
        #expect(try sync.sync(server.url, "--pin", "me.pem").status == 0)
        #expect(try sync.sync(server.url, "--pin", server.pin).status == 0)
        #expect(sync.reports("served").first?["lasting"] as? Bool == true)
        #expect(server.end() == 0)
        // Who pinned it needs nothing new after a restart.
        let again = try sync.serve("--identity", "my server")
        #expect(again.pin == server.pin)
        #expect(again.end() == 0)
        #expect(throws: SyncPlace.ServerFailed.self) { try sync.serve("--identity", "nobody") }
    }

    @Test("the certificate of the first start is kept beside the password and presented at the next ones")
    func keptIdentity() throws {
        let service = try self.service()
        #expect(try sync.server("credential", "set", service, "--user", "ana", input: "first").status == 0)
        func pin(_ arguments: [String] = ["--user", "ana"], lasting: Bool = true) throws -> String {
            let server = try sync.serve(arguments)
            #expect(sync.reports("served").first?["lasting"] as? Bool == lasting)
            #expect(try sync.sync(server.url, "--pin", server.pin, "--anonymous").status == 77)
            #expect(server.end() == 0)
            return server.pin
        }
        let first = try pin()
        #expect(try pin() == first)
        #expect(try pin(["--user", "ana", "--new-identity"], lasting: false) != first)
        try sync.makeCertificates()
        #expect(
            try sync.server("credential", "set", "mine", "--certificate", "me.pem", "--private-key", "me.key").status
                == 0)
        let named = try pin(["--user", "ana", "--identity", "mine"])
        #expect(named != first)
        #expect(try pin() == first)
        // One that somebody put in its place counts, unless it has expired.
        #expect(
            try sync.server("credential", "set", service, "--certificate", "me.pem", "--private-key", "me.key").status
                == 0)
        #expect(try pin() == named)
        let old = try sync.server(
            "credential", "set", service, "--certificate", "old.pem", "--private-key", "ca.key", "--allow-expired")
        #expect(old.status == 0, "\(old)")
        let renewed = try pin()
        #expect(renewed != first && renewed != named)
        #expect(try pin() == renewed)
        #expect(try sync.server("credential", "remove", service, "--kind", "client-identity").status == 0)
        #expect(try pin() != renewed)
    }
}
