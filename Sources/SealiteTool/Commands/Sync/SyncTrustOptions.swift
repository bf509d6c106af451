import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteReplicator

/// The servers that `sealite sync`, `login` and `logout` trust.
struct SyncTrustOptions: ParsableArguments {
    @Option(
        name: .customLong("pin"),
        help: ArgumentHelp(
            "Trust only a server with this public key: its SHA-256 in hex, or a file with its certificate. May be repeated.",
            valueName: "hex|file"))
    var pins: [String] = []

    @Flag(help: "Accept any self-signed certificate of the server: anyone on the network path can have made it.")
    var selfSigned = false

    @Option(
        help: ArgumentHelp("Trust the issuers in this PEM file in addition to the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    func validate() throws {
        try KeyOptions.requireOne(("--pin", !pins.isEmpty), ("--self-signed", selfSigned), ("--ca", ca != nil))
    }

    private var roots: [[UInt8]] {
        get throws { try ca.map { try Self.certificates($0) } ?? [] }
    }

    var trust: ServerTrust {
        get throws {
            if selfSigned { return .selfSigned }
            guard pins.isEmpty else { return .pinned(try pins.flatMap { try Self.pin($0) }) }
            return .system(additionalRoots: try roots)
        }
    }

    private static func pin(_ text: String) throws -> [ServerTrust.Pin] {
        if let digest = digest(text) { return [.publicKeyDigest(digest)] }
        guard !text.allSatisfy(\.isHexDigit) || FileManager.default.fileExists(atPath: text) else {
            throw ToolError.usage(
                "--pin takes a SHA-256 of 64 hex digits, or a file, and was given \(text.count) hex digits",
                hint: "'sealite serve' prints the server's pin")
        }
        return try certificates(text).map { .certificate($0) }
    }

    /// Returns 32 bytes from hex digits; nil for any other text.
    private static func digest(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count == 64 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 64, by: 2) {
            guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
                let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }

    static func certificates(_ path: String) throws -> [[UInt8]] {
        try ClientIdentity.certificates(
            pem: try KeySource.file(path).contents(limit: ClientIdentity.maximumByteCount, isSecret: false))
    }
}
