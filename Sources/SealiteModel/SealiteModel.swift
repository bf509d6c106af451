// Typed objects on documents: a `Model` is a Codable struct whose schema is derived, a `ModelStore` keeps such values, migrates what an
// older schema left, and validates what is saved. Schemas are values (`Schema`, `ObjectSchema`, `Property`) and travel as JSON Schema.
//
// Start at `Store/ModelStore.swift` for what applications call, at `Schema/Schema.swift` for what all of it speaks of. Documentation/Models.md is the specification.
