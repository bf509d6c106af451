import SealiteMongo
import Testing

@Suite("errors of the MongoDB-style API")
struct MongoErrorTests {
    @Test("a number has MongoDB's name, or one made from the number")
    func names() {
        #expect(MongoError(code: 241, "no").codeName == "ConversionFailure")
        #expect(MongoError(code: 40066, "no").codeName == "Location40066")
    }

    @Test("an error is printed with its name, number and sentence")
    func description() {
        #expect("\(MongoError(code: 2, "$x wants a number."))" == "BadValue (2): $x wants a number.")
    }
}
