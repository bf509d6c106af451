import SealiteTestSupport
import Testing

@testable import SealiteGeometry

@Suite("Cells of the grids")
struct GridTests {
    private func randomPoint(_ random: inout SeededRandom) -> Vector3 {
        Vector3(longitude: .random(in: -180...180, using: &random), latitude: .random(in: -90...90, using: &random))
    }

    @Test("have ranges that contain those of their parts, and ancestors whose ranges contain theirs")
    func ranges() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<500 {
            let cell = SphereCell(randomPoint(&random))
            #expect(cell.level == 30)
            #expect(cell.ancestors.count == 30)
            for (level, ancestor) in cell.ancestors.enumerated() {
                #expect(ancestor.level == level)
                #expect(ancestor.range.contains(cell.id))
            }
        }
    }

    @Test("of a cover contain every point of the region, also across the antimeridian and at the poles")
    func covers() throws {
        var random = SeededRandom(seed: 10)
        for round in 0..<60 {
            let center =
                round == 0
                ? Vector3(longitude: 180, latitude: 0)
                : round == 1 ? Vector3(longitude: 0, latitude: 90) : randomPoint(&random)
            let cap = Cap(center, radius: [1e-6, 0.001, 0.1, 1, 3][round % 5])
            var work = GeometryWork()
            let cells = try SphereCell.cover(cap, count: 24, &work)
            #expect(cells.count <= 24)
            for _ in 0..<50 {
                let direction = center.cross(randomPoint(&random)).unit
                let distance = cap.radius * .random(in: 0...1, using: &random)
                let turned = Vector3(longitude: distance * 180 / .pi, latitude: 0)
                let point = (center * turned.x + direction * turned.y).unit
                let id = SphereCell(point).id
                #expect(cells.contains { $0.range.contains(id) })
            }
        }
    }

    @Test("of a small region's cover are small")
    func smallCovers() throws {
        var work = GeometryWork()
        let cap = Cap(Vector3(longitude: 13.4, latitude: 52.5), radius: 1 / 6378.1)
        let cells = try SphereCell.cover(cap, count: 24, &work)
        #expect(cells.allSatisfy { $0.level >= 11 })
    }

    @Test("in the plane cover rectangles")
    func planeCovers() {
        var random = SeededRandom(seed: 11)
        let grid = PlaneGrid(low: -180, high: 180)
        for _ in 0..<200 {
            let (x, y) = (Double.random(in: -180..<180, using: &random), Double.random(in: -180..<180, using: &random))
            let size: Double = [1e-6, 0.1, 20, 500][Int.random(in: 0..<4, using: &random)]
            let box = PlaneBox((x - size, y - size), (x + size, y + size / 2))
            let ranges = grid.cover(box, count: 20)
            #expect(ranges.count <= 20)
            for _ in 0..<20 {
                let (px, py) = (
                    Double.random(in: box.low.x...box.high.x, using: &random),
                    Double.random(in: box.low.y...box.high.y, using: &random)
                )
                guard grid.contains(px, py) else { continue }
                let cell = grid.cell(px, py)
                #expect(ranges.contains { $0.contains(cell) })
            }
        }
    }
}
