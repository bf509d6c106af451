import Foundation
import SealiteDatabase
import SealiteJSON
import SealiteModel
import SealiteValues
import Testing

@Suite("descriptions of inner errors")
struct LocalizedErrorTests {
    @Test("errors of the modules without Foundation describe themselves to people")
    func descriptions() throws {
        let errors: [any Error] = [
            JSONError(.malformed, at: 3, "a value is expected"), StoredValueError.tooDeep,
            DocumentKey.Failure.tooLong(byteCount: 300),
        ]
        let texts = errors.map(\.localizedDescription)
        #expect(texts[0] == "a value is expected, at byte 3")
        #expect(texts[1] == "\(errors[1])" && texts[2] == "the ID takes 300 bytes, more than 240")
    }

    @Test("a type that can't be derived is named with the member, if there is one")
    func underivable() {
        let texts = ["", "name"].map { SchemaError.underivable(type: "Dog", member: $0, reason: "no").description }
        #expect(texts == ["The type of 'Dog' cannot be derived: no", "The type of 'Dog.name' cannot be derived: no"])
    }
}
