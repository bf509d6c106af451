// Typed objects on documents: a `Model` is a Codable struct whose schema is derived; a `ModelStore` stores such values,
// migrates documents of older schemas, and validates documents when they are saved. Schemas are values (`Schema`,
// `ObjectSchema`, `Property`), exchanged as JSON Schema.
//
// Start at `Store/ModelStore.swift` for the API of applications, and at `Schema/Schema.swift` for the types of schemas.
// Documentation/Models.md is the specification.
