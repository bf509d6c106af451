import Foundation
import Testing

@testable import SealiteReplicator

/// An nginx of Debian's that ends TLS in front of a server of ours, with files in a folder of its own.
final class Nginx {
    static let program = "/usr/sbin/nginx"
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    private let folder: URL
    private let process = Process()
    let port: Int

    /// Starts one in front of a port, that lets in who has a certificate of `clientRoot`.
    init(before port: Int, clientRoot: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "sealite-nginx-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let certificates = try TestCertificates.shared.get()
        try (certificates.file("server.pem") + certificates.file("intermediate.pem"))
            .write(to: folder.appending(path: "chain.pem"))
        try certificates.file("\(clientRoot).pem").write(to: folder.appending(path: "clients.pem"))
        let key = folder.appending(path: "key.pem")
        _ = FileManager.default.createFile(
            atPath: key.path, contents: try certificates.file("server.key.pem"), attributes: [.posixPermissions: 0o600])
        self.port = try Self.freePort()
        let configuration = """
            daemon off; master_process off; worker_processes 1; pid \(folder.path)/pid; error_log \(folder.path)/error.log;
            events { worker_connections 64; }
            http {
                access_log off;
                client_body_temp_path \(folder.path)/body; proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi; uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                server {
                    listen 127.0.0.1:\(self.port) ssl;
                    ssl_certificate \(folder.path)/chain.pem; ssl_certificate_key \(folder.path)/key.pem;
                    ssl_client_certificate \(folder.path)/clients.pem; ssl_verify_client on;
                    location / {
                        proxy_pass http://127.0.0.1:\(port); proxy_http_version 1.1;
                        proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection;
                    }
                }
            }
            """
        try Data(configuration.utf8).write(to: folder.appending(path: "nginx.conf"))
        process.executableURL = URL(filePath: Self.program)
        process.arguments = ["-c", "\(folder.path)/nginx.conf", "-p", folder.path, "-e", "\(folder.path)/error.log"]
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    /// A port that was free a moment ago.
    private static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRINUSE) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits until it listens.
    func ready() async throws {
        for _ in 0..<6_000 {
            if let client = try? await RawClient.connect(port: port) { return await client.close() }
            guard process.isRunning else { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("nginx did not start")
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }
}
