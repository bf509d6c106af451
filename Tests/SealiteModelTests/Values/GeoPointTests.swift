import Foundation
import SealiteModel
import Testing

@Suite("points on the earth")
struct GeoPointTests {
    @Test("the distance of two points is that along a great circle")
    func distance() throws {
        let paris = try #require(GeoPoint(latitude: 48.8566, longitude: 2.3522))
        let london = try #require(GeoPoint(latitude: 51.5074, longitude: -0.1278))
        #expect(abs(paris.distance(to: london) - 343_556) < 100)
        #expect(paris.distance(to: paris) == 0)
        let (east, west) = (
            try #require(GeoPoint(latitude: 0, longitude: 179)), try #require(GeoPoint(latitude: 0, longitude: -179))
        )
        #expect(abs(east.distance(to: west) - 222_390) < 10)
    }

    @Test("coordinates beyond the poles and the date line are no point")
    func bounds() {
        #expect(GeoPoint(latitude: 90.1, longitude: 0) == nil)
        #expect(GeoPoint(latitude: 0, longitude: -180.5) == nil)
        #expect(GeoPoint(latitude: .nan, longitude: 0) == nil)
    }

    @Test("a point is GeoJSON, the longitude first")
    func coding() throws {
        let point = try #require(GeoPoint(latitude: 1.5, longitude: 2.5))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(point), as: UTF8.self) == #"{"coordinates":[2.5,1.5],"type":"Point"}"#)
        let line = Data(#"{"type":"LineString","coordinates":[2.5,1.5]}"#.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(GeoPoint.self, from: line) }
    }
}
