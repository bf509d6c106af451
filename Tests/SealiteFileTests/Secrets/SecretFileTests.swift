import Glibc
import SealiteCrypto
import SealiteFileTestSupport
import Testing

@testable import SealiteFile

@Suite("secret files")
struct SecretFileTests {
    let folder: Folder
    let path: String

    init() throws {
        folder = try Folder()
        path = folder.file("secret")
    }

    private func code(_ body: () throws(SealedFileError) -> Void) -> SealedFileError.Code? {
        do throws(SealedFileError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }

    @Test(
        "a passphrase is every byte but one trailing line end",
        arguments: [
            ("open sesame", "open sesame"), ("open sesame\n", "open sesame"), ("open sesame\r\n", "open sesame"),
            ("open\n\n", "open\n"), (" open ", " open "), ("open\r", "open\r"), ("a", "a"),
        ])
    func passphrase(content: String, expected: String) throws {
        try RawFile.write(Array(content.utf8), to: path)
        #expect(try SecretFile.path(path).passphrase().exposed == Array(expected.utf8))
    }

    @Test("a passphrase that is empty, holds a NUL or is over 1 KiB is refused", arguments: [0, 1, 2, 3])
    func badPassphrase(kind: Int) throws {
        let content: [UInt8] = [[], [10], [65, 0, 66], Array(repeating: 65, count: 1025)][kind]
        try RawFile.write(content, to: path)
        #expect(code { () throws(SealedFileError) in _ = try SecretFile.path(path).passphrase() } == .invalidArgument)
    }

    @Test("a passphrase of exactly 1 KiB and a line end is taken")
    func longestPassphrase() throws {
        try RawFile.write(Array(repeating: 65, count: 1024) + [13, 10], to: path)
        #expect(try SecretFile.path(path).passphrase().byteCount == 1024)
    }

    @Test("a key file is 32 bytes, or 64 hex digits and at most one line end", arguments: 31...34)
    func rawKey(count: Int) throws {
        let key = (0..<count).map { UInt8($0) }
        try RawFile.write(key, to: path)
        let isRight = count == 32
        #expect((try? SecretFile.path(path).rawKey().exposed) == (isRight ? key : nil))
        for lineEnd in ["", "\n", "\r\n"] {
            try RawFile.write(Array((key.hex.uppercased() + lineEnd).utf8), to: path)
            #expect((try? SecretFile.path(path).rawKey().exposed) == (isRight ? key : nil))
        }
        try RawFile.write(Array((key.hex + "\n\n").utf8), to: path)
        #expect((try? SecretFile.path(path).rawKey().exposed) == nil)
    }

    @Test("64 characters that aren't all hex digits are no key")
    func notHex() throws {
        try RawFile.write(Array((String(repeating: "0", count: 63) + "g").utf8), to: path)
        #expect(code { () throws(SealedFileError) in _ = try SecretFile.path(path).rawKey() } == .invalidArgument)
    }

    @Test("a file that the group or others may read is refused", arguments: [0o640, 0o604, 0o620, 0o602, 0o666])
    func looseMode(mode: Int) throws {
        try RawFile.write(Array(repeating: 1, count: 32), to: path, mode: mode_t(mode))
        #expect(code { () throws(SealedFileError) in _ = try SecretFile.path(path).rawKey() } == .permission)
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        #expect(
            code { () throws(SealedFileError) in _ = try SecretFile.descriptor(descriptor).rawKey() } == .permission)
    }

    @Test("a pipe and a file without a name are taken whatever their mode")
    func pipes() throws {
        var ends: [CInt] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        #expect(unsafe write(ends[1], "open sesame\n", 12) == 12)
        close(ends[1])
        #expect(try SecretFile.descriptor(ends[0]).passphrase().exposed == Array("open sesame".utf8))
        close(ends[0])
        try RawFile.write(Array(repeating: 1, count: 32), to: path, mode: 0o644)
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        unsafe unlink(path)
        #expect(try SecretFile.descriptor(descriptor).rawKey().byteCount == 32)
    }

    @Test("what isn't there, a folder and a closed descriptor have errors of their own")
    func absent() {
        #expect(code { () throws(SealedFileError) in _ = try SecretFile.path(path).rawKey() } == .noSuchFile)
        #expect(
            code { () throws(SealedFileError) in _ = try SecretFile.path(folder.path).rawKey() } == .invalidArgument)
        #expect(code { () throws(SealedFileError) in _ = try SecretFile.descriptor(-1).rawKey() } == .invalidArgument)
    }

    @Test("a secret that a file takes only in part fails for the system's reason")
    func partlyWritten() async {
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 10, rlim_max: 10)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let error = #expect(throws: SealedFileError.self) {
                try NewFile(path).write(SecretBytes([UInt8](repeating: 1, count: 20)))
            }
            let reason = unsafe String(cString: strerror(EFBIG))
            #expect(error?.reason.contains(reason) == true)
        }
    }

    @Test("an error names the file and nothing of what it holds")
    func errorText() throws {
        try RawFile.write(Array("hunter2\0hunter2".utf8), to: path)
        do throws(SealedFileError) {
            _ = try SecretFile.path(path).passphrase()
            Issue.record("a NUL was taken")
        } catch {
            #expect(error.description == "\"\(path)\": the passphrase holds a NUL byte")
        }
    }
}

@Suite("recovery keys on paper")
struct RecoveryKeyTextTests {
    @Test("a printed key reads back, whatever its case, spaces and dashes")
    func roundTrip() throws {
        for _ in 0..<20 {
            let key = try RecoveryKey(privateKey: SecretBytes.random(byteCount: 32))
            let paper = String(decoding: try key.paperForm().exposed, as: UTF8.self)
            #expect(paper.utf8.count == 69 && paper.split(separator: "-").allSatisfy { $0.utf8.count == 4 })
            let bare = paper.lowercased().replacing("-", with: "")
            for form in [paper, bare, paper.replacing("-", with: " \n") + "\r\n"] {
                let read = try SecretText.recoveryKey(from: SecretBytes(Array(form.utf8)))
                let isSame = read.privateKey.isEqual(to: key.privateKey)
                #expect(isSame)
            }
        }
    }

    private static let paper = "AAAQ-EAYE-AUDA-OCAJ-BIFQ-YDIO-B4IB-CEQT-CQKR-MFYY-DENB-WHA5-"

    @Test("the form on paper is base32 of the key and three bytes of a SHA-256 with a label")
    func vector() throws {
        // Made with Python's base64 and hashlib from the definition in Documentation/FORMAT.md §5.4.
        let key = try RecoveryKey(privateKey: SecretBytes((0..<32).map { UInt8($0) }))
        #expect(String(decoding: try key.paperForm().exposed, as: UTF8.self) == Self.paper + "DYPY-FVPN")
    }

    @Test("a recovery key with the checksum of the removed kind is refused by name, and a mistyped one as mistyped")
    func removedKind() {
        for (end, code) in [("DYP6-RROJ", SealedFileError.Code.unsupportedVersion), ("DYP6-RROK", .invalidArgument)] {
            let error = #expect(throws: SealedFileError.self) {
                _ = try SecretText.recoveryKey(from: SecretBytes(Array((Self.paper + end).utf8)))
            }
            #expect(error?.code == code && (error?.hint != nil) == (code == .unsupportedVersion), "\(end)")
        }
    }

    @Test("only 32 bytes are a recovery key")
    func length() {
        #expect(throws: SealedFileError(.invalidArgument, "")) {
            _ = try RecoveryKey(privateKey: SecretBytes([UInt8](repeating: 1, count: 31)))
        }
    }

    @Test("any changed character is noticed")
    func changedCharacter() throws {
        let paper = try RecoveryKey(privateKey: SecretBytes((0..<32).map { UInt8($0) })).paperForm().exposed
        for index in paper.indices where paper[index] != UInt8(ascii: "-") {
            var wrong = paper
            wrong[index] = wrong[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: SealedFileError.self) { _ = try SecretText.recoveryKey(from: SecretBytes(wrong)) }
        }
        for wrong in ["", "AAAA", "A1", String(repeating: "A", count: 57)] {
            let text = SecretBytes(Array(wrong.utf8))
            #expect(throws: SealedFileError.self) { _ = try SecretText.recoveryKey(from: text) }
        }
    }
}
