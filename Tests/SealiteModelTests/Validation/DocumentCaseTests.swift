import SealiteValues
import Testing

@testable import SealiteModel

@Suite("cases of documents")
struct DocumentCaseTests {
    @Test("documents fit their schemas, or don't, as mapping.json says")
    func documents() throws {
        try ModelCases("mapping").run("document") { one in
            guard let json = one.members.document("schema"), var document = one.members.document("document") else {
                return "the case has no schema or no document"
            }
            let reading = Schema.reading(jsonSchema: [json])
            guard let type = reading.schema.objects.first(where: { !$0.isEmbedded }) else { return "no type is read" }
            let validator = try DocumentValidator(
                type, in: reading.schema, nullTypeValidation: one["nullTypeValidation"] == true)
            let id = try document["_id"].map { try DocumentKey.text(of: $0) } ?? "text"
            document["_id"] = nil
            let violations = validator.violations(inBody: try document.stored(), id: id)
            guard one["fits"] == .bool(violations.isEmpty) else { return "\(violations)" }
            guard let place = one.members.text("reason") else { return nil }
            return violations.map(\.path) == [place] ? nil : "\(violations) instead of \(place)"
        }
    }
}
