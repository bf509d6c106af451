internal import Foundation

/// A point on the earth, stored as a GeoJSON point (RFC 7946 §3.1.2).
public struct GeoPoint: Sendable, Hashable {
    /// The degrees north of the equator, from -90 to 90.
    public let latitude: Double
    /// The degrees east of Greenwich, from -180 to 180.
    public let longitude: Double

    /// Creates a point; nil if the coordinates are out of range.
    public init?(latitude: Double, longitude: Double) {
        guard (-90.0...90).contains(latitude), (-180.0...180).contains(longitude) else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
    }

    /// Returns the distance to another point in metres, along a great circle on a sphere of the earth's mean radius
    /// (6,371,008.8 m).
    public func distance(to other: GeoPoint) -> Double {
        let (from, to) = (latitude * .pi / 180, other.latitude * .pi / 180)
        let north = sin((to - from) / 2)
        let east = sin((other.longitude - longitude) * .pi / 360)
        let chord = north * north + cos(from) * cos(to) * east * east
        return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
    }
}

extension GeoPoint: Codable {
    private enum CodingKeys: String, CodingKey { case type, coordinates }

    /// Decodes a GeoJSON point.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let type = try container.decode(String.self, forKey: .type)
        let coordinates = try container.decode([Double].self, forKey: .coordinates)
        guard type == "Point", coordinates.count >= 2,
            let point = GeoPoint(latitude: coordinates[1], longitude: coordinates[0])
        else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription:
                        "the object isn't a GeoJSON point with a longitude from -180 to 180 and a latitude from -90 to 90"
                ))
        }
        self = point
    }

    /// Encodes a GeoJSON point.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("Point", forKey: .type)
        try container.encode([longitude, latitude], forKey: .coordinates)
    }
}
