import CSQLite
import Foundation
import SealiteCrypto
import SealiteTestSupport

@testable import SealiteFile
@testable import SealiteMaintenance

/// A database that another program encrypted, or a part of one: the first byte says which part, and in which form of
/// `Fixtures/Foreign`. Who has no key makes no page that opens, where the form authenticates pages.
final class ForeignFuzz: FuzzTarget {
    /// The part that the rest of an input is.
    private enum Part: UInt8, CaseIterable {
        /// Pages of the file, from the first on.
        case pages
        /// A log; its checksums, which anyone can make, fit if the bit `checksumBit` is set.
        case log
        /// The length of a log, that log, and a file, which are read as the tool reads them.
        case file
        /// Lines of settings, and a raw key as text.
        case settings
    }

    private static let checksumBit: UInt8 = 0x80

    private let forms: [Form]
    private let disk = MemoryDisk(fileByteLimit: 8 << 20)
    private let vfs: TestVFS
    private let folder: String

    init() throws {
        forms = try Form.names.map(Form.init)
        vfs = try TestVFS(name: "fuzz-foreign-\(UUID())", disk: disk)
        folder = FileManager.default.temporaryDirectory.appending(path: "sealite-fuzz-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func seeds() -> [[UInt8]] {
        var seeds = [[Part.settings.rawValue] + Array(Self.settingsSeed.utf8)]
        for (index, form) in forms.enumerated() {
            func head(_ part: Part, _ bits: UInt8 = 0) -> [UInt8] { [part.rawValue | UInt8(index) << 2 | bits] }
            seeds.append(head(.pages) + form.file.prefix(2 * form.pageSize))
            // The largest add nothing but size.
            if form.file.count < 6_000 {
                let count = form.log.count
                seeds.append(head(.file) + [UInt8(count >> 8), UInt8(count & 0xFF)] + form.log + form.file)
            }
            if !form.log.isEmpty { seeds += [head(.log) + form.log, head(.log, Self.checksumBit) + form.log] }
        }
        return seeds
    }

    private static let settingsSeed = """
        x'abababababababababababababababababababababababababababababababab'
        cipher_compatibility=3
        cipher_page_size=1024
        kdf_iter=64000
        cipher_hmac_algorithm=HMAC_SHA256
        cipher_kdf_algorithm=PBKDF2_HMAC_SHA1
        cipher_use_hmac=OFF
        cipher_plaintext_header_size=32
        cipher_salt=cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd
        legacy=1
        """

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first, let part = Part(rawValue: first & 3) else { return }
        let form = forms[Int(first >> 2 & 0x1F) % forms.count]
        let rest = Array(input.dropFirst())
        switch part {
        case .pages: try checkPages(rest, form)
        case .log: try checkLog(first & Self.checksumBit == 0 ? rest : form.summed(rest), form)
        case .file:
            let logByteCount = rest.count < 2 ? 0 : Int(rest[0]) << 8 | Int(rest[1])
            try checkFile(
                Array(rest.dropFirst(2 + logByteCount)), log: Array(rest.dropFirst(2).prefix(logByteCount)), form)
        case .settings: try checkSettings(rest)
        }
    }

    private func checkPages(_ bytes: [UInt8], _ form: Form) throws(BrokenProperty) {
        let start = Array(bytes.prefix(24)) + [UInt8](repeating: 0, count: max(0, 24 - bytes.count))
        guard let pages = try? form.pages(start) else { return }
        for number in 1...UInt32(max(1, bytes.count / form.pageSize)) {
            var page = Array(bytes.dropFirst(Int(number - 1) * form.pageSize).prefix(form.pageSize))
            page += [UInt8](repeating: 0, count: form.pageSize - page.count)
            let given = page
            let finding = unsafe page.withUnsafeMutableBytes { unsafe try? pages.open($0, number: number) }
            try form.check(finding, page, number)
            // What was authentic once is opened without authentication: any bytes.
            page = given
            _ = unsafe page.withUnsafeMutableBytes { unsafe try? pages.open($0, number: number, wasAuthentic: true) }
        }
    }

    private func checkLog(_ bytes: [UInt8], _ form: Form) throws(BrokenProperty) {
        var image = DiskImage()
        image[path: "/log"] = bytes
        disk.load(image)
        guard let handle = try? BaseHandle("/log", vfs: vfs.name, flags: SQLITE_OPEN_READONLY, kind: SQLITE_OPEN_WAL)
        else { throw BrokenProperty("the disk in memory can't be read") }
        guard let log = try? ForeignLog(handle.file, pageSize: form.pageSize) else { return }
        try BrokenProperty.unless(log.pageCount > 0, "a log without a commit is used")
        var page = [UInt8](repeating: 0, count: form.pageSize)
        for (number, offset) in log.places {
            let code = unsafe page.withUnsafeMutableBytes { unsafe log.read(number, into: $0) }
            try BrokenProperty.unless(
                code == SQLITE_OK && page == Array(bytes.dropFirst(Int(offset)).prefix(form.pageSize)),
                "the log's page \(number) isn't in it")
        }
        let count = log.pageCount(inFile: 3)
        try BrokenProperty.unless(
            count <= log.pageCount && Int(count) <= 2 * (3 + log.places.count),
            "a log of \(bytes.count) bytes makes \(count) pages")
    }

    private func checkFile(_ bytes: [UInt8], log: [UInt8], _ form: Form) throws(BrokenProperty) {
        let path = folder + "/f.db"
        for (bytes, path) in [(bytes, path), (log, path + "-wal")] {
            let isWritten = FileManager.default.createFile(atPath: path, contents: Data(bytes))
            try BrokenProperty.unless(isWritten, "\(path) can't be written")
        }
        guard let file = form.opened(path, bytes) else { return }
        var page = [UInt8](repeating: 0, count: file.pageSize)
        for number in 1...max(1, file.pageCount) {
            let finding = unsafe page.withUnsafeMutableBytes { unsafe try? file.find(number, $0) }
            try form.check(finding, page, number)
        }
        guard let registration = try? PageSourceVFS.Registration(file),
            let connection = try? RawConnection(uri: registration.uri, path: path, flags: SQLITE_OPEN_READONLY)
        else { return }
        connection.limitSchemaTrust()
        _ = try? MissingNames(connection)
        _ = try? connection.stopping(if: { true }) { () throws(SealedFileError) in
            try connection.query("SELECT * FROM t")
        }
        try? file.readRest { _ in true }
    }

    private func checkSettings(_ bytes: [UInt8]) throws(BrokenProperty) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if let first = lines.first, let key = ForeignKey.rawKey(inText: SecretBytes(copying: Array(first))) {
            try BrokenProperty.unless(key.byteCount == 32 || key.byteCount == 48, "a raw key of another length")
        }
        for cipher in ForeignEncryption.Cipher.allCases {
            var settings = ForeignEncryption(cipher)
            for line in lines {
                let parts = String(decoding: line, as: UTF8.self).split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                try? settings.set(String(parts[0]), to: String(parts[1]))
            }
            let usable = settings.pageSize - settings.reservedByteCount - settings.plainHeaderByteCount
            try BrokenProperty.unless(
                settings.pageSize.nonzeroBitCount == 1 && (512...65_536).contains(settings.pageSize) && usable >= 256
                    && settings.plainHeaderByteCount % 16 == 0 && settings.iterationCount > 0
                    && settings.salt?.count ?? 16 == 16, "settings out of their bounds: \(settings)")
            // A page of any such form is read without a trap.
            guard settings.iterationCount < 100,
                let pages = try? ForeignPages(
                    settings, .passphrase(SecretBytes(copying: "a")),
                    start: Array((bytes + [UInt8](repeating: 0, count: 24)).prefix(24)))
            else { continue }
            var page = Array((bytes + [UInt8](repeating: 1, count: settings.pageSize)).prefix(settings.pageSize))
            for number in 1...UInt32(2) {
                _ = unsafe page.withUnsafeMutableBytes {
                    unsafe try? pages.open($0, number: number, wasAuthentic: true)
                }
            }
        }
    }
}

/// A file of `Fixtures/Foreign`, with its key, and the pages that its program wrote.
private final class Form {
    /// Every cipher, with and without authentication, plain bytes and a log.
    static let names = [
        "sqlcipher-wal", "chacha20-wal", "sqlcipher-raw-key", "sqlcipher-plain-header", "chacha20-legacy", "aes256cbc",
        "aes128cbc-legacy",
    ]

    let file: [UInt8]
    let log: [UInt8]
    private(set) var pageSize = 0
    private let settings: ForeignEncryption
    private let secret: [UInt8]
    private let isPassphrase: Bool
    /// The decrypted pages of the file and of its log, by their numbers.
    private var known: [UInt32: Set<[UInt8]>] = [:]

    private struct Index: Decodable {
        struct File: Decodable {
            let name: String
            let cipher: String
            let settings: [String]
            let passphrase: String?
            let rawKey: String?
        }

        let files: [File]
    }

    init(_ name: String) throws {
        let folder = FuzzStage.folder.deletingLastPathComponent().appending(path: "Foreign")
        func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: folder.appending(path: name))) }
        let index = try JSONDecoder().decode(Index.self, from: Data(try bytes("settings.json")))
        guard let entry = index.files.first(where: { $0.name == name }),
            let cipher = ForeignEncryption.Cipher(rawValue: entry.cipher)
        else { throw BrokenProperty("there is no fixture \(name)") }
        file = try bytes(name + ".db")
        log = (try? bytes(name + ".db-wal")) ?? []
        var settings = ForeignEncryption(cipher)
        for setting in entry.settings {
            let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
            try settings.set(parts[0], to: parts[1])
        }
        let text = Array((entry.passphrase ?? "").utf8)
        // With a raw key no run derives one. The forms without authentication take none, and derive theirs in a millisecond.
        isPassphrase = !settings.isAuthenticated
        if isPassphrase {
            secret = text
        } else if let rawKey = entry.rawKey {
            secret = [UInt8](SecretText.bytes(fromHex: SecretBytes(copying: Array(rawKey.utf8))))
        } else {
            let salt = settings.salt ?? Array(file.prefix(16))
            let keys = try ForeignPageKeys.derived(
                from: .passphrase(SecretBytes(copying: text)), settings, stored: Array(file.prefix(16)))
            secret = [UInt8](keys.cipher.duplicate()) + (cipher == .sqlcipher ? salt : [])
        }
        self.settings = settings
        try readKnownPages(folder.appending(path: name + ".db").path)
    }

    private var key: ForeignKey {
        isPassphrase ? .passphrase(SecretBytes(copying: secret)) : .rawKey(SecretBytes(copying: secret))
    }

    private func readKnownPages(_ path: String) throws {
        let opened = try ForeignFile(path, settings, key)
        pageSize = opened.pageSize
        let pages = try pages(Array(file.prefix(24)))
        func read(_ bytes: [UInt8], _ number: UInt32) throws {
            var page = bytes
            let finding = try unsafe page.withUnsafeMutableBytes { (page) in try unsafe pages.open(page, number: number)
            }
            if finding == .opened { known[number, default: []].insert(authenticPart(page, number)) }
        }
        for number in 1...UInt32(file.count / pageSize) {
            try read(file.slice(Int(number - 1) * pageSize, pageSize), number)
        }
        let frameByteCount = WALHeader.frameHeaderByteCount + pageSize
        for place in stride(from: WALHeader.byteCount, to: log.count, by: frameByteCount) {
            try read(log.slice(place + WALHeader.frameHeaderByteCount, pageSize), log.bigEndian32(at: place))
        }
        guard !known.isEmpty else { throw BrokenProperty("\(path) doesn't open") }
    }

    func pages(_ start: [UInt8]) throws(SealedFileError) -> ForeignPages {
        var sized = settings
        if pageSize != settings.pageSize { sized = settings.with(pageSize: pageSize) }
        return try ForeignPages(sized, key, start: start)
    }

    /// Opens a file whose page 1 opens as a page of this form: for any other, many keys are derived.
    func opened(_ path: String, _ bytes: [UInt8]) -> ForeignFile? {
        var page = Array(bytes.prefix(pageSize))
        guard page.count == pageSize, let pages = try? pages(Array(page.prefix(24))),
            case .opened? = unsafe page.withUnsafeMutableBytes({ unsafe try? pages.open($0, number: 1) })
        else { return nil }
        return try? ForeignFile(path, settings, key)
    }

    /// The part of a page that is authenticated: not the salt, nor a plain header, at the beginning of the first.
    private func authenticPart(_ page: [UInt8], _ number: UInt32) -> [UInt8] {
        number == 1 ? Array(page.dropFirst(max(24, settings.plainHeaderByteCount))) : page
    }

    /// Checks what opening a page found.
    func check(_ finding: ForeignPages.Finding?, _ page: [UInt8], _ number: UInt32) throws(BrokenProperty) {
        switch finding {
        case nil: throw BrokenProperty("page \(number) can't be examined")
        case .opened:
            guard settings.isAuthenticated else { return }
            try BrokenProperty.unless(
                known[number]?.contains(authenticPart(page, number)) == true,
                "page \(number) opens, and nobody wrote it")
        case .neverWritten, .damaged:
            try BrokenProperty.unless(page.allSatisfy { $0 == 0 }, "page \(number) isn't there, and has content")
        }
    }

    /// Makes the checksums of a log fit, and the salts of its frames.
    func summed(_ given: [UInt8]) -> [UInt8] {
        guard given.count >= WALHeader.byteCount else { return given }
        var bytes = given
        let isBigEndian = bytes[3] & 1 == 1
        func words(_ sums: (UInt32, UInt32)) -> [UInt8] {
            [sums.0, sums.1].flatMap { [UInt8].littleEndian($0.byteSwapped) }
        }
        var sums = WALChecksum.sums(bytes[..<24], from: (0, 0), bigEndian: isBigEndian)
        bytes.write(words(sums), at: 24)
        let headerByteCount = WALHeader.frameHeaderByteCount
        var place = WALHeader.byteCount
        while place + headerByteCount + pageSize <= bytes.count {
            bytes.write(bytes.slice(16, 8), at: place + 8)
            sums = WALChecksum.sums(bytes[place..<place + 8], from: sums, bigEndian: isBigEndian)
            sums = WALChecksum.sums(
                bytes[(place + headerByteCount)..<(place + headerByteCount + pageSize)], from: sums,
                bigEndian: isBigEndian)
            bytes.write(words(sums), at: place + 16)
            place += headerByteCount + pageSize
        }
        return bytes
    }
}

extension [UInt8] {
    /// The bytes of a test key, published on purpose.
    fileprivate init(_ secret: consuming SecretBytes?) {
        self = unsafe secret?.withUnsafeBytes { unsafe Array($0) } ?? []
    }
}
