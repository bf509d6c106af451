package import Foundation
import SealiteCrypto

package import SealiteEndpoints

/// The certificates that `make_test_ca.py` makes, once per run. The files live on for servers that read files.
package final class TestCertificates: Sendable {
    package static let shared = Result { try TestCertificates() }

    private let files: [String: Data]

    private init() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "sealite-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "make_test_ca.py")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = [script.path, folder.path]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadUnknown) }
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            files[name] = try Data(contentsOf: folder.appending(path: name))
        }
        self.files = files
    }

    /// A certificate as DER.
    package static func certificate(_ name: String) throws -> [UInt8] { try Array(shared.get().file("\(name).der")) }

    /// A file's content.
    package func file(_ name: String) throws -> Data {
        guard let content = files[name] else { throw CocoaError(.fileNoSuchFile) }
        return content
    }

    /// A certificate with its key, and its issuers.
    package static func identity(_ name: String, with issuers: [String] = []) throws -> TransportIdentity {
        let key = try SecretBytes(copying: Array(shared.get().file("\(name).key")))
        return TransportIdentity(certificates: try ([name] + issuers).map(certificate), privateKey: key)
    }
}
