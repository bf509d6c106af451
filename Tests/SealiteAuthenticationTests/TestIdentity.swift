import Foundation
import NIOSSL

/// A self-signed certificate for `localhost`, made anew.
struct TestIdentity {
    let certificate: NIOSSLCertificate
    private let key: NIOSSLPrivateKey

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sealite-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder.appending(path: "key").path,
            "-out", folder.appending(path: "certificate").path,
        ]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        certificate = try NIOSSLCertificate.fromPEMFile(folder.appending(path: "certificate").path)[0]
        key = try NIOSSLPrivateKey(file: folder.appending(path: "key").path, format: .pem)
    }

    func configuration() -> TLSConfiguration {
        .makeServerConfiguration(certificateChain: [.certificate(certificate)], privateKey: .privateKey(key))
    }
}
