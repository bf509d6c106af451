// Shapes on the sphere and in the plane: GeoJSON, whether one shape contains or touches another, distances, and the cells of a grid
// by which an index finds shapes. Pure functions of values: no documents, no SQLite, no Foundation.
//
// Read first (Documentation/Geospatial.md):
// - `GeoJSONReader` reads a `Geometry` from a value, `PlanarShape` and `Cap` are the other shapes of searches;
// - `SearchShape` is what a search compares geometries with;
// - `Orientation` has the one exact predicate on which everything on the sphere stands;
// - `SphereCell` and `PlaneCell` are the cells, and `CellCover` covers a shape by a few of them.
