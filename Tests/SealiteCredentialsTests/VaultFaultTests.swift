import Foundation
import SealiteCrypto
import SealiteFile
import SealiteTestSupport
import Testing

@testable import SealiteCredentials

@Suite("faults and neighbours of a vault")
struct VaultFaultTests {
    @Test(
        "a disk that fills up or fails while a credential is saved leaves the old one or the new one",
        arguments: Fault.Style.allCases)
    func faults(style: Fault.Style) async throws {
        let disk = MemoryDisk()
        let below = try TestVFS(name: "vault \(style), below", disk: disk)
        let choice = VFSChoice(name: "vault \(style), sealed", base: below.name)
        let vault = VaultStore(path: "/vault.db", idleLimit: nil, vfs: choice)
        try await vault.make(.rawKey(VaultFolder.key()), nil)
        let notes = try reference("h")
        var seen: Set<CredentialError.Code> = []
        var old = "old"
        try await vault.save(old, notes)
        for number in 1..<1000 {
            let new = "new \(number)"
            below.tap.arm(Fault(style, number: number))
            let failed = await code { try await vault.save(new, notes) }
            let isOver = below.tap.strikes == 0
            below.tap.disarm()
            if let failed { seen.insert(failed) }
            let again = VaultStore(path: "/vault.db", idleLimit: nil, vfs: choice)
            try await again.unlock(.rawKey(VaultFolder.key()))
            let found = try await again.text(notes)
            #expect(found == new || (failed != nil && found == old), "fault \(number)")
            old = try #require(found)
            if isOver { break }
            #expect(number < 999)
        }
        #expect(seen.isSuperset(of: style == .full ? [.diskFull] : [.providerFailed]), "\(seen)")
    }

    @Test("two vaults on one file, written by eight tasks each, lose nothing")
    func sharing() async throws {
        let folder = try VaultFolder()
        let stores = [try await folder.make(), try await folder.open()]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<16 {
                group.addTask {
                    for number in 0..<8 {
                        try await stores[task % 2].save("\(task)-\(number)", reference("h\(number)", "\(task)"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await stores[0].list(service: nil, access: .patient).items.count == 128)
        for task in 0..<16 { #expect(try await stores[1].text(reference("h3", "\(task)")) == "\(task)-3") }
    }

    @Test("a lock that another process holds ends a call at its limit, and cancelling ends it at once")
    func held() async throws {
        let folder = try VaultFolder()
        try await folder.make().save("one", reference("h"))
        let time = ManualTime()
        let vault = VaultStore(path: folder.file(), idleLimit: nil, vfs: .standard, time: time)
        try await vault.unlock(.rawKey(VaultFolder.key()))
        let holder = try folder.database().connect()
        try holder.execute("BEGIN EXCLUSIVE")
        let limited = Task { await code { try await vault.read(reference("h"), access: .patient) } }
        await eventually("a pause between two attempts") { time.waiterCount == 1 }
        time.advance(by: CredentialAccess.patient.timeLimit)
        #expect(await limited.value == .timedOut)
        let reading = Task { await code { try await vault.read(reference("h"), access: .patient) } }
        reading.cancel()
        #expect(await reading.value == .cancelled)
        let waiting = Task { try await vault.text(reference("h")) }
        await eventually("a pause between two attempts") { time.waiterCount == 1 }
        try holder.execute("COMMIT")
        time.advance(by: .seconds(1))
        #expect(try await waiting.value == "one")
    }
}
