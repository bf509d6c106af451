import Foundation
import SealiteDatabase
import SealiteTestSupport
import Testing

/// Limits the memory that a hostile peer can make a process use, measured in a process that does nothing else.
@Suite("peak memory with hostile peers", .serialized)
struct PeakMemoryTests {
    /// In MiB, of all that the process holds; it holds some 50 when it has nothing to do.
    private static let bound = 200

    enum Side: String, CaseIterable, CustomTestStringConvertible {
        case client, listener
        var testDescription: String { rawValue }
    }

    enum Attack: String, CaseIterable, CustomTestStringConvertible {
        /// 100 MB that don't compress.
        case hugeRevision
        /// A list of a million rows.
        case millionRows
        /// Ten thousand messages that are begun and not ended.
        case unfinished
        /// A message of 208 MiB of zeros.
        case bomb
        case endlessAttachment
        /// 5,000 requests for an attachment of 1 MB, of whose answers nothing is read.
        case unread

        var testDescription: String { rawValue }
    }

    /// Each attack on one of the two, in the long form (`SEALITE_SOAK=1`) on both.
    private static let cases = Attack.allCases.enumerated().flatMap { index, attack -> [(Side, Attack)] in
        let isLong = ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1"
        return (isLong ? Side.allCases : [Side.allCases[index % 2]]).map { ($0, attack) }
    }

    @Test("peak memory stays below 200 MiB, whatever the peer sends or doesn't read", arguments: cases)
    func peak(_ side: Side, _ attack: Attack) throws {
        let sync = try SyncPlace()
        let digest = try attachment(in: "\(side == .client ? "client" : "server").db", of: sync.place)
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "hostile_peer.py").path
        let outcome = try sync.place.run(
            ["python3", script, side.rawValue, attack.rawValue, Tool.path, digest],
            environment: ["HOME": sync.place.path])
        let numbers = outcome.out.split(separator: " ").compactMap { Int($0.filter { $0 != "\n" }) }
        try #require(numbers.count == 3, "\(outcome)")
        #expect((10..<Self.bound).contains(numbers[0]), "\(outcome.out)")
        // A listener serves on until it is told to end; a sync fails, for a document or the protocol, or ends by the signal.
        let codes = side == .listener ? [0] : attack == .unread ? [-15] : [1, 76]
        #expect(codes.contains(numbers[1]), "\(outcome.out)")
        #expect((numbers[2] > 0) == (attack == .endlessAttachment), "\(outcome.out)")
    }

    /// Stores an attachment of 1 MB, and gives its digest.
    private func attachment(in name: String, of place: Workplace) throws -> String {
        let database = try Database(file: try place.open(name))
        defer { try? database.close() }
        let collection = try database.defaultCollection()
        let document = MutableDocument(id: "blob")
        var random = SeededRandom()
        let content = random.bytes(1 << 20)
        document.setBlob(Blob(contentType: "image/png", bytes: content), forKey: "blob")
        try collection.save(document: document)
        return try #require(try collection.document(id: "blob")?.value(forKey: "blob")?.blob?.digest)
    }
}
