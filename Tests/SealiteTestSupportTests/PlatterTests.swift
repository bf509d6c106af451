import Testing

@testable import SealiteTestSupport

@Suite("what a power loss leaves")
struct PlatterTests {
    /// A disk with one file of 4096 ones.
    private let base: DiskImage = {
        var image = DiskImage()
        image[path: "/disk/a"] = [UInt8](repeating: 1, count: 4096)
        return image
    }()

    private func outcomes(_ events: DiskEvent...) -> [PowerLoss] {
        var platter = Platter(base)
        for event in events { platter.record(event) }
        return (0..<200).map { platter.afterPowerLoss(seed: $0) }
    }

    @Test("a write that was synced is there")
    func syncedWrite() throws {
        let file = try #require(base.names["/disk/a"])
        let losses = outcomes(.write(file: file, offset: 100, bytes: [7, 8]), .sync(file: file))
        #expect(losses.allSatisfy { $0.image[path: "/disk/a"]?[100...101] == [7, 8] && $0.lostWrites == 0 })
    }

    @Test("a write that wasn't synced is whole, missing, or torn at sectors, and harms nothing beside it")
    func pendingWrite() throws {
        let file = try #require(base.names["/disk/a"])
        let new = [UInt8](repeating: 2, count: 2000)
        let contents = try outcomes(.write(file: file, offset: 1000, bytes: new)).map {
            try #require($0.image[path: "/disk/a"])
        }
        #expect(contents.contains { Array($0[1000..<3000]) == new })
        #expect(contents.contains { $0 == [UInt8](repeating: 1, count: 4096) })
        #expect(contents.contains { $0[1000..<1024] == new[..<24] && $0[1024..<1536] != new[..<512] })
        #expect(contents.allSatisfy { $0[..<1000].allSatisfy { $0 == 1 } && $0[3000...].allSatisfy { $0 == 1 } })
    }

    @Test("a file that grew without a sync has its old size, its new one, or one between")
    func growth() throws {
        let file = try #require(base.names["/disk/a"])
        let sizes = outcomes(.write(file: file, offset: 4096, bytes: [UInt8](repeating: 2, count: 1024)))
            .compactMap { $0.image[path: "/disk/a"]?.count }
        #expect(Set(sizes) == [4096, 4608, 5120])
    }

    @Test("a deletion may be undone until the folder is synced")
    func deletion() {
        let pending = outcomes(.unlink(path: "/disk/a"))
        #expect(Set(pending.map { $0.image.paths.count }) == [0, 1])
        #expect(pending.allSatisfy { $0.lostDeletions == $0.image.paths.count })
        let synced = outcomes(.unlink(path: "/disk/a"), .syncFolder("/disk"))
        #expect(synced.allSatisfy { $0.image.paths.isEmpty })
    }

    @Test("a new file under an old name is one of the two, whole")
    func replacement() throws {
        let losses = outcomes(
            .unlink(path: "/disk/a"), .link(path: "/disk/a", file: 9), .write(file: 9, offset: 0, bytes: [5]),
            .sync(file: 9))
        #expect(losses.allSatisfy { $0.image[path: "/disk/a"] == [5] })
    }

    @Test("names and truncations are lost from the last one back")
    func order() throws {
        let file = try #require(base.names["/disk/a"])
        let losses = outcomes(.link(path: "/disk/b", file: 9), .truncate(file: file, size: 10))
        #expect(losses.allSatisfy { $0.image[path: "/disk/a"]?.count == 4096 || $0.image.paths.count == 2 })
        #expect(Set(losses.map { $0.image.paths.count }) == [1, 2])
    }

    @Test("a seed always leaves the same disk")
    func reproducibility() throws {
        let file = try #require(base.names["/disk/a"])
        let write = DiskEvent.write(file: file, offset: 0, bytes: [UInt8](repeating: 3, count: 4096))
        let twice = zip(outcomes(write, write), outcomes(write, write))
        #expect(twice.allSatisfy { $0.image[path: "/disk/a"] == $1.image[path: "/disk/a"] })
    }
}
