import Foundation
import SealiteDatabase
import SealiteMongo
import SealiteTestSupport
import SealiteValues
import Testing

@testable import SealiteMobileSync

@Suite("clients of per-document sync that are killed")
struct KillTests {
    private static var isLong: Bool { ProcessInfo.processInfo.environment["SEALITE_SOAK"] == "1" }

    @Test("a kill leaves documents, states and events in agreement, and every event is told")
    func kills() async throws {
        let (server, folder) = (try await MobileServer(), try TestFolder())
        try await MobileClient(folder).close()
        let remote = try await server.remote()
        var told: [UInt64: String] = [:]
        for round in 0..<(Self.isLong ? 60 : 4) {
            try note(Self.run(folder, remote, seed: TestSeed.run &+ UInt64(round)), in: &told)
            let client = try MobileClient(folder)
            let found = try await client.contradictions()
            #expect(found == [])
            try await client.close()
        }
        try await end(folder, server, remote, &told)
    }

    /// Runs a client for a moment, kills it, and returns what it was told.
    private static func run(_ folder: TestFolder, _ remote: MobileSyncRemote, seed: UInt64) throws -> [String] {
        let path = "\(ChildProcess.buildFolder)/SealiteMobileTestChild"
        let child = try ChildProcess(path, ["\(folder.path)/client.db", "\(remote.target)", "\(seed)"])
        // Events of the run before may come first.
        var lines: [String] = []
        while let line = try child.line(), line != "began" { lines.append(line) }
        letTimePass(
            .milliseconds(20 + Int(seed % 7) * 30), because: "the child is to be killed at another place each time")
        child.kill()
        while let line = try child.line() { lines.append(line) }
        child.wait()
        return lines
    }

    private func note(_ lines: [String], in told: inout [UInt64: String]) throws {
        for line in lines {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count == 3, words[0] == "told", let number = UInt64(words[1]) else { continue }
            if let earlier = told[number], earlier != words[2] { Issue.record("event \(number) has changed") }
            told[number] = words[2]
        }
    }

    /// Goes on where the last one was killed, and compares.
    private func end(
        _ folder: TestFolder, _ server: MobileServer, _ remote: MobileSyncRemote, _ told: inout [UInt64: String]
    ) async throws {
        let client = try MobileClient(folder)
        await client.mobile.connect(to: remote)
        try await client.configure { _, remote in remote.fullDocument }
        let isSent = try await eventually { try await client.sync.uncommittedIds.isEmpty }
        #expect(isSent)
        try await eventually("equal sides") { try await client.all() == server.all() }
        try await client.settle()
        for event in client.told.events { told[event.id] = told[event.id] ?? "" }
        let last = try client.documents.space()?.nextEvent ?? 1
        let missing: [UInt64] = (1..<last).filter { told[$0] == nil }
        #expect(missing == [])
        try await client.close()
        await server.stop()
    }
}
