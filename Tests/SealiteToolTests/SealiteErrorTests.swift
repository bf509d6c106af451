import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteDatabase
import SealiteFile
import SealiteMongo
import Testing

@Suite("the common form of errors")
struct SealiteErrorTests {
    private static let errors: [any SealiteError] =
        SealedFileError.Code.allCases.map { SealedFileError($0, "a reason") }
        + DatabaseError.Code.allCases.map { DatabaseError($0, "a reason") }
        + CredentialError.Code.allCases.map { CredentialError($0, "a reason") }
        + AuthenticationError.Code.allCases.map { AuthenticationError($0, "a reason") }
        + [2, 26, 171, 11_000, 99_999].map { MongoError(code: $0, "a reason") }

    @Test("identifiers of all codes are lowercase words with hyphens, and differ within a type")
    func identifiers() {
        var known: Set<String> = []
        for error in Self.errors {
            let isWellFormed = error.identifier.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil
            #expect(isWellFormed, "\(error.identifier)")
            #expect(known.insert("\(type(of: error)) \(error.identifier)").inserted, "\(error.identifier)")
        }
        #expect(known.count > 90)
    }

    @Test("an identifier follows the name of a case")
    func names() {
        #expect(DatabaseError(.badDocumentID, "").identifier == "bad-document-id")
        #expect(DatabaseError(.invalidJSON, "").identifier == "invalid-json")
        #expect(CryptoError(.openSSLFailure, "").identifier == "open-ssl-failure")
        #expect(MongoError(code: 11_000, "").identifier == "duplicate-key")
        #expect(CryptoError.identifier(of: TransportError.Code.http(404)) == "http")
    }

    @Test("a description is the reason, with the hint where there is one")
    func descriptions() {
        let hinted: any SealiteError = DatabaseError(.busy, "the database is locked", hint: "try again")
        #expect(hinted.description == "the database is locked (try again)")
        #expect(hinted.isTransient)
        let plain: any SealiteError = SealedFileError(.wrongKey, "no slot takes the key")
        #expect(plain.description == "no slot takes the key")
        #expect(!plain.isTransient)
        #expect(plain.underlying == nil)
    }
}
