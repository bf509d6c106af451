import SealiteCrypto

@testable import SealiteCredentials

/// A row of a vault: the first byte says whether the rest is a record, the plaintext of one that is sealed, or what is sealed, and
/// of which kind; `reference` is that of the row.
final class VaultFuzz: FuzzTarget {
    private static let key = SecretBytes(copying: [UInt8](repeating: 7, count: 32))
    private static let slotID = [UInt8](repeating: 3, count: 16)

    init() throws {}

    func run(_ input: [UInt8]) throws(BrokenProperty) {
        guard let first = input.first, let reference = try Self.reference(first) else { return }
        let rest = Array(input.dropFirst())
        try checkReference(rest)
        switch first >> 6 {
        case 0: try checkRecord(rest, reference)
        case 1: try checkSealed(rest, reference)
        default: try checkForged(rest, reference)
        }
    }

    private static func reference(_ first: UInt8) throws(BrokenProperty) -> CredentialReference? {
        let kinds = CredentialKind.allCases
        let kind = kinds[Int(first & 0x3F) % kinds.count]
        guard kind != .slotKey else { return .slotKey(slotID) }
        guard let service = try? CredentialService("wss://sync.example.com/notes") else {
            throw BrokenProperty("the service of every row is none")
        }
        return try? CredentialReference(service: service, account: "ana", kind: kind)
    }

    /// A record that is read is written as one that reads as the same.
    private func checkRecord(_ bytes: [UInt8], _ reference: CredentialReference) throws(BrokenProperty) {
        guard let credential = try? Credential(record: SecretBytes(copying: bytes), for: reference) else { return }
        guard let once = try? credential.record(for: reference) else {
            throw BrokenProperty("a record is read, and can't be written")
        }
        guard let again = try? Credential(record: once.duplicate(), for: reference),
            let twice = try? again.record(for: reference)
        else { throw BrokenProperty("a record that was written can't be read") }
        try BrokenProperty.unless(twice.isEqual(to: once), "a record is written otherwise the second time")
    }

    /// A record that somebody with the key padded wrongly is damaged; one that is padded well is read.
    private func checkSealed(_ padded: [UInt8], _ reference: CredentialReference) throws(BrokenProperty) {
        let plaintext = SecretBytes(copying: padded)
        guard let sealed = try? VaultTable.seal(padded: plaintext, as: reference, key: Self.key) else { return }
        guard let record = try? VaultTable.open(sealed, as: reference, key: Self.key) else { return }
        let bytes = unsafe record.withUnsafeBytes { unsafe Array($0) }
        try BrokenProperty.unless(
            padded.count.isMultiple(of: 256) && padded.dropFirst(4).starts(with: bytes)
                && padded.dropFirst(4 + bytes.count).allSatisfy { $0 == 0 }, "a badly padded record is taken")
        try checkRecord(bytes, reference)
    }

    /// Without the key nothing is made that opens: not the input, nor what was sealed for another row, nor a changed record.
    private func checkForged(_ bytes: [UInt8], _ reference: CredentialReference) throws(BrokenProperty) {
        try BrokenProperty.unless(
            (try? VaultTable.open(bytes, as: reference, key: Self.key)) == nil, "bytes without a key are a record")
        guard let record = try? VaultTable.seal(SecretBytes(copying: bytes), as: reference, key: Self.key),
            let service = try? CredentialService("other"),
            let other = try? CredentialReference(service: service, account: "ana", kind: reference.kind)
        else { return }
        try BrokenProperty.unless(
            (try? VaultTable.open(record, as: other, key: Self.key)) == nil, "a record opens in another row")
        var changed = record
        let place = bytes.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % changed.count
        changed[place] ^= 1
        try BrokenProperty.unless(
            (try? VaultTable.open(changed, as: reference, key: Self.key)) == nil, "a changed record opens")
        guard let whole = try? VaultTable.open(record, as: reference, key: Self.key),
            whole.isEqual(to: SecretBytes(copying: bytes))
        else { throw BrokenProperty("a record doesn't open") }
    }

    /// The three texts of a row, each ended by a zero byte.
    private func checkReference(_ bytes: [UInt8]) throws(BrokenProperty) {
        let texts = bytes.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard texts.count > 2,
            let reference = try? CredentialReference(service: texts[0], account: texts[1], kind: texts[2])
        else { return }
        try BrokenProperty.unless(
            reference.service.canonical == texts[0] && reference.account == texts[1]
                && reference.kind.rawValue == texts[2], "a row is read as another reference")
    }

    /// First inputs: a record of each kind in each way, and the texts of rows.
    static func seeds() throws -> [[UInt8]] {
        let (zeros, key) = (String(repeating: "A", count: 22) + "==", String(repeating: "A", count: 43) + "=")
        let records: [(CredentialKind, String)] = [
            (.password, "pässword"), (.bearer, "to.ken"),
            (.session, #"{"version":1,"cookieName":"SyncGatewaySession","expires":1790000000,"sessionID":"a1b2c3"}"#),
            (.clientIdentity, #"{"version":1,"certificates":["AQID","BA=="],"privateKey":"CQgH","more":[{"a":null}]}"#),
            (.slotKey, #"{"version":1,"slotID":"AwMDAwMDAwMDAwMDAwMDAw==","databaseID":"\#(zeros)","key":"\#(key)"}"#),
        ]
        var seeds: [[UInt8]] = []
        for (kind, text) in records {
            guard let index = CredentialKind.allCases.firstIndex(of: kind) else { continue }
            let record = Array(text.utf8)
            let length = [UInt8(record.count & 255), UInt8(record.count >> 8), 0, 0]
            let padding = [UInt8](repeating: 0, count: 255 - (record.count + 3) % 256)
            seeds.append([UInt8(index)] + record)
            seeds.append([UInt8(index) | 0x40] + length + record + padding)
            seeds.append([UInt8(index) | 0x80] + record)
        }
        seeds.append([0] + Array("https://sync.example.com/notes\0ana\0password\0".utf8))
        seeds.append([0] + Array("slot:03030303030303030303030303030303\0\0slot-key\0".utf8))
        return seeds
    }
}
