internal import SealiteCrypto

/// Items of other programs, which have attributes of their own and hold a secret as it is.
extension SecretServiceCall {
    /// Returns the items with these attributes, after unlocking locked collections, which may hide some. The error of
    /// a collection that stays locked has the clause `why`, such as "it may hold passwords".
    func items(of attributes: [String: String], why: String) throws(CredentialError) -> [SecretServiceItem] {
        let scope = try scope()
        if !scope.locked.isEmpty { try unlock(scope.locked, because: why) }
        return scope.sorted(try link.search(attributes: attributes, limit))
    }

    /// Returns the secret of the items with these attributes.
    ///
    /// - Throws: `notFound`; `duplicate` if their secrets differ.
    func foreignSecret(
        of attributes: [String: String], called name: String
    ) throws(CredentialError) -> SecretBytes {
        try checkSession()
        return try secret(ofAll: try foreignItems(attributes, called: name), called: name)
    }

    private func secret(
        ofAll items: [SecretServiceItem], called name: String
    ) throws(CredentialError) -> SecretBytes {
        try unlock(items)
        let secret = try items[0].loadBytes(limit)
        for item in items.dropFirst() {
            guard try item.loadBytes(limit).isEqual(to: secret) else {
                throw CredentialError(
                    .duplicate, "\(items.count) items \(name) have different secrets",
                    hint: "delete the wrong ones in the desktop's password manager")
            }
        }
        return secret
    }

    /// Deletes the items with these attributes, whose secret is equal to `secret`.
    ///
    /// - Throws: `exists` if a secret is another one; `notFound`.
    func removeForeign(
        _ attributes: [String: String], ifEqualTo secret: borrowing SecretBytes, called name: String
    ) throws(CredentialError) {
        try checkSession()
        // The items that were compared, and none that came since.
        let items = try foreignItems(attributes, called: name)
        guard try self.secret(ofAll: items, called: name).isEqual(to: secret) else {
            throw CredentialError(
                .exists, "the password \(name) was changed during the import", hint: "import it again")
        }
        for item in items { try item.delete(limit) }
    }

    /// Returns the items that a read uses: those of the default collection, or, if it has none, all.
    private func foreignItems(
        _ attributes: [String: String], called name: String
    ) throws(CredentialError) -> [SecretServiceItem] {
        let scope = try scope()
        let items = scope.preferred(scope.sorted(try link.search(attributes: attributes, limit)))
        guard !items.isEmpty else {
            throw CredentialError(.notFound, "\(store.name) no longer holds the password \(name)")
        }
        return items
    }
}
