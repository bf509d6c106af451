import SealiteCrypto

/// HPKE: the messages of one exchange in their order, from both sides, and the secrets exported by both.
enum HPKEAnswers {
    static func seal(_ text: VectorText, _ tally: inout Tally) throws {
        var sender = try makeSender(text.parameters)
        var recipient = try makeRecipient(text.parameters)
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                let associatedData = try vector.bytes("associatedData")
                let expected = try vector.bytes("ciphertext")
                let plaintext = try vector.bytes("plaintext")
                let ciphertext = try unsafe plaintext.withUnsafeBytes {
                    try unsafe sender.seal($0, associatedData: associatedData)
                }
                let opened = try recipient.open(expected, associatedData: associatedData)
                return try ciphertext == expected && opened.isEqual(to: vector.secret("plaintext"))
            }
        }
    }

    static func export(_ text: VectorText, _ tally: inout Tally) throws {
        let sender = try makeSender(text.parameters)
        let recipient = try makeRecipient(text.parameters)
        for vector in text.cases {
            tally.check(vector) {
                guard try vector.succeeds(or: "success") else { return false }
                let expected = try vector.secret("secret")
                let context = try vector.bytes("context")
                let sent = try sender.export(context: context, byteCount: expected.byteCount)
                let received = try recipient.export(context: context, byteCount: expected.byteCount)
                return sent.isEqual(to: expected) && received.isEqual(to: expected)
            }
        }
    }

    private static func makeSender(_ parameters: VectorText.Case) throws -> HPKE.Sender {
        let sender = try HPKE.Sender(
            to: parameters.bytes("publicKey"), info: parameters.bytes("info"),
            ephemeralKey: parameters.secret("ephemeralKey"))
        guard try sender.encapsulatedKey == parameters.bytes("encapsulatedKey") else {
            throw VectorError(field: "encapsulatedKey")
        }
        return sender
    }

    private static func makeRecipient(_ parameters: VectorText.Case) throws -> HPKE.Recipient {
        let privateKey = try parameters.secret("privateKey")
        guard try HPKE.publicKey(for: privateKey) == parameters.bytes("publicKey") else {
            throw VectorError(field: "publicKey")
        }
        return try HPKE.Recipient(
            privateKey: privateKey, encapsulatedKey: parameters.bytes("encapsulatedKey"),
            info: parameters.bytes("info"))
    }
}
