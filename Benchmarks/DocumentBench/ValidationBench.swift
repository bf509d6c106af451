import Foundation
import SealiteDatabase
import SealiteModel
import SealiteValues

/// Measures validation: the validator alone over a stored Dog, and saves of Dogs with a schema compared with the same
/// saves without.
struct ValidationBench {
    let folder: String
    let measure: Measurement

    /// The reference's schema (Fixtures/Models/examples/dog.schema.json).
    private static let dog = ObjectSchema(
        "Dog", primaryKey: "_id",
        properties: [
            Property("_id", .objectID), Property("name", .string), Property("age", .int, isOptional: true),
            Property("breed", .string, isOptional: true), Property("details", .mixed, isOptional: true),
        ])

    func run() throws {
        try validate("with null", ["details": .null])
        try validate("with nested details", ["details": .document(Self.details)])
    }

    private static let details: MongoDocument = [
        "vaccinations": ["rabies", "distemper"], "weight": 65.5, "isNeutered": true,
        "vetVisits": [
            ["date": .datetime(DateTime(milliseconds: 1_029_646_567_000)), "reason": "annual checkup"],
            ["date": .datetime(DateTime(milliseconds: 1_061_182_567_000)), "reason": "annual checkup"],
        ],
    ]

    private func validate(_ name: String, _ more: MongoDocument) throws {
        var document: MongoDocument = ["age": 8, "breed": "Golden Retriever", "name": "Jasper"]
        for member in more { document[member.key] = member.value }
        let (body, id) = (try document.stored(), "$oid:616f44305a205add93ff1081")
        let validator = try DocumentValidator(Self.dog, in: Schema([Self.dog]))
        for _ in 0..<3 {
            var unfit = 0
            measure.run("validation of a Dog \(name)", 1_000_000) {
                for _ in 0..<1_000_000 { unfit += validator.violations(inBody: body, id: id).count }
            }
            precondition(unfit == 0)
        }
    }
}
