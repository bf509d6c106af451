import Foundation
internal import SealiteTestSupport
internal import Testing

/// Debian's nginx as a TLS front before a port of this machine: one process, in a folder of its own.
///
/// Killed when the test lets go of it, or when the test process ends.
package final class Nginx {
    package let port: Int
    private let folder: URL
    // Keeps the port from everybody else, also while no nginx listens.
    private let held: HeldPort
    private var process: SupervisedProcess?

    /// Debian's program; without it a test can't run, and says so. `make setup-test` gets it.
    package static let program = TestProgram.path("usr/sbin/nginx")

    package init(to target: Int, clientRoot: String) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sealite-nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        held = try HeldPort()
        port = held.port
        let certificates = try TestCertificates.shared.get()
        for name in ["server.key.pem", "root.pem", "other-root.pem"] {
            try certificates.file(name).write(to: folder.appending(path: name))
        }
        let chain = try certificates.file("server.pem") + certificates.file("intermediate.pem")
        try chain.write(to: folder.appending(path: "chain.pem"))
        try await start(to: target, clientRoot: clientRoot)
    }

    deinit {
        process?.kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Takes clients of another root from now on.
    package func restart(to target: Int, clientRoot: String) async throws {
        process?.kill()
        try await start(to: target, clientRoot: clientRoot)
    }

    private func start(to target: Int, clientRoot: String) async throws {
        let text = Self.settings(port: port, target: target, clientRoot: clientRoot)
        try Data(text.utf8).write(to: folder.appending(path: "nginx.conf"))
        process = try SupervisedProcess(
            [Self.program, "-p", folder.path, "-c", "nginx.conf", "-e", "error.log"],
            environment: ["PATH": "/usr/bin:/bin"],
            output: folder.appending(path: "output").path)
        let listens = await eventually("nginx") {
            guard let client = try? await RawClient.connect(port: port) else { return false }
            await client.close()
            return true
        }
        if !listens { throw NginxFailure(description: "nginx does not listen: \(log)") }
    }

    private var log: String {
        ["error.log", "output"].map {
            (try? String(contentsOf: folder.appending(path: $0), encoding: .utf8)) ?? "no \($0)"
        }.joined(separator: "\n")
    }

    private static func settings(port: Int, target: Int, clientRoot: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        return """
            # One process, so that killing it leaves no workers.
            daemon off;
            master_process off;
            pid nginx.pid;
            events { worker_connections 64; }
            http {
                access_log off;
                \(temporary.joined(separator: " "))
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate chain.pem;
                    ssl_certificate_key server.key.pem;
                    ssl_client_certificate \(clientRoot).pem;
                    ssl_verify_client on;
                    location / {
                        proxy_pass http://127.0.0.1:\(target);
                        proxy_http_version 1.1;
                        proxy_set_header Upgrade $http_upgrade;
                        proxy_set_header Connection upgrade;
                        proxy_read_timeout 300s;
                    }
                }
            }
            """
    }
}

private struct NginxFailure: Error, CustomStringConvertible { let description: String }
