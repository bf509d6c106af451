import SealiteCrypto

/// Tests of HPKE: the messages of one exchange in their order, on both sides, and the secrets exported by both.
enum HPKEAnswers {
    static func seal(_ text: VectorText, _ tally: inout Tally) throws {
        try seal(text, &tally, try makeSender(text.parameters), try makeRecipient(text.parameters))
    }

    static func sealWithPreSharedKey(_ text: VectorText, _ tally: inout Tally) throws {
        let key = try preSharedKey(text.parameters)
        try seal(text, &tally, try makeSender(text.parameters, key), try makeRecipient(text.parameters, key))
    }

    static func export(_ text: VectorText, _ tally: inout Tally) throws {
        export(text, &tally, try makeSender(text.parameters), try makeRecipient(text.parameters))
    }

    static func exportWithPreSharedKey(_ text: VectorText, _ tally: inout Tally) throws {
        let key = try preSharedKey(text.parameters)
        export(text, &tally, try makeSender(text.parameters, key), try makeRecipient(text.parameters, key))
    }

    private static func seal(
        _ text: VectorText, _ tally: inout Tally, _ sender: consuming HPKE.Sender,
        _ recipient: consuming HPKE.Recipient
    ) throws {
        tally.checkSuccesses(text) { vector in
            let associatedData = try vector.bytes("associatedData")
            let expected = try vector.bytes("ciphertext")
            let plaintext = try vector.bytes("plaintext")
            let ciphertext = try unsafe plaintext.withUnsafeBytes {
                try unsafe sender.seal($0, associatedData: associatedData)
            }
            var forged = expected
            if let last = forged.indices.last { forged[last] ^= 1 }
            // A refused message doesn't advance the recipient, so the published one opens afterwards.
            let isRefused = try Forgery.isRefused { _ = try recipient.open(forged, associatedData: associatedData) }
            guard isRefused else { return false }
            let opened = try recipient.open(expected, associatedData: associatedData)
            return ciphertext == expected && opened.hasBytes(plaintext)
        }
    }

    private static func export(
        _ text: VectorText, _ tally: inout Tally, _ sender: borrowing HPKE.Sender,
        _ recipient: borrowing HPKE.Recipient
    ) {
        tally.checkSuccesses(text) { vector in
            let expected = try vector.bytes("secret")
            let context = try vector.bytes("context")
            let sent = try sender.export(context: context, byteCount: expected.count)
            let received = try recipient.export(context: context, byteCount: expected.count)
            return sent.hasBytes(expected) && received.hasBytes(expected)
        }
    }

    private static func preSharedKey(_ parameters: VectorText.Case) throws -> HPKE.PreSharedKey {
        try HPKE.PreSharedKey(
            parameters.secret("preSharedKey"), identifier: parameters.bytes("preSharedKeyIdentifier"))
    }

    private static func makeSender(_ parameters: VectorText.Case) throws -> HPKE.Sender {
        let sender = try HPKE.Sender(
            to: parameters.bytes("publicKey"), info: parameters.bytes("info"),
            ephemeralKey: parameters.secret("ephemeralKey"))
        try check(sender.encapsulatedKey, parameters)
        return sender
    }

    private static func makeSender(
        _ parameters: VectorText.Case, _ key: borrowing HPKE.PreSharedKey
    ) throws -> HPKE.Sender {
        let sender = try HPKE.Sender(
            to: parameters.bytes("publicKey"), info: parameters.bytes("info"), preSharedKey: key,
            ephemeralKey: parameters.secret("ephemeralKey"))
        try check(sender.encapsulatedKey, parameters)
        return sender
    }

    private static func check(_ encapsulatedKey: [UInt8], _ parameters: VectorText.Case) throws {
        guard try encapsulatedKey == parameters.bytes("encapsulatedKey") else {
            throw VectorError(field: "encapsulatedKey")
        }
    }

    private static func makeRecipient(_ parameters: VectorText.Case) throws -> HPKE.Recipient {
        try HPKE.Recipient(
            privateKey: try privateKey(parameters), encapsulatedKey: parameters.bytes("encapsulatedKey"),
            info: parameters.bytes("info"))
    }

    private static func makeRecipient(
        _ parameters: VectorText.Case, _ key: borrowing HPKE.PreSharedKey
    ) throws -> HPKE.Recipient {
        try HPKE.Recipient(
            privateKey: try privateKey(parameters), encapsulatedKey: parameters.bytes("encapsulatedKey"),
            info: parameters.bytes("info"), preSharedKey: key)
    }

    private static func privateKey(_ parameters: VectorText.Case) throws -> SecretBytes {
        let privateKey = try parameters.secret("privateKey")
        guard try HPKE.publicKey(for: privateKey) == parameters.bytes("publicKey") else {
            throw VectorError(field: "publicKey")
        }
        return privateKey
    }
}
