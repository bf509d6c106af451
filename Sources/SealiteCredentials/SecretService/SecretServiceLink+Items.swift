internal import CSecret

extension SecretServiceLink {
    /// The schema of Sealite's items. Searches ignore the schema's name, so that items of other tools are found.
    ///
    /// It is created once and never freed.
    // The initializer writes the structure before the pointer is visible, and no code writes it afterwards.
    nonisolated(unsafe) private static let schema: UnsafeMutablePointer<SecretSchema>? = {
        let types = unsafe g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
        for name in [
            SecretServiceItem.Attribute.service, SecretServiceItem.Attribute.account, SecretServiceItem.Attribute.kind,
        ] {
            // The value is SECRET_SCHEMA_ATTRIBUTE_STRING, which is 0 and so the null pointer that GINT_TO_POINTER
            // would give.
            _ = unsafe g_hash_table_insert(types, g_strdup(name), nil)
        }
        defer { unsafe g_hash_table_unref(types) }
        return unsafe secret_schema_newv("org.sealite.Credential", SECRET_SCHEMA_DONT_MATCH_NAME, types)
    }()

    /// Returns the items that have these attributes, locked ones included. Unlocks nothing and loads no secret.
    func search(_ attributes: [String: String], _ limit: CallLimit) throws(CredentialError) -> [SecretServiceItem] {
        let table = AttributeTable(attributes)
        let (found, error) = unsafe withGError { error in
            unsafe table.withPointer { attributes in
                unsafe secret_service_search_sync(
                    service, Self.schema, attributes, SECRET_SEARCH_ALL, limit.cancellable.pointer, error)
            }
        }
        let items = unsafe GObjectList(consuming: found)
        if error != nil { throw SecretServiceFailure(error).credentialError(before: "the search was answered", limit) }
        let hits = unsafe items.withElements { elements in
            unsafe elements.map { unsafe SecretServiceItem(retaining: $0) }
        }
        return hits.filter { item in attributes.allSatisfy { item.attributes[$0.key] == $0.value } }
    }

    /// Creates an item, replacing an item with the same attributes. The collection is an object path, or `default` to
    /// have the default collection created first, with a prompt.
    func create(
        _ reference: CredentialReference, label: String, _ value: borrowing SecretValueReference,
        in collection: String, _ limit: CallLimit
    ) throws(CredentialError) {
        let table = AttributeTable(reference.attributes)
        let (isStored, error) = unsafe withGError { error in
            unsafe table.withPointer { attributes in
                unsafe secret_service_store_sync(
                    service, Self.schema, attributes, collection, label, value.pointer,
                    limit.cancellable.pointer, error)
            }
        }
        guard isStored == 0 else { return }
        guard error != nil else {
            throw CredentialError(
                .promptDismissed, "the prompt to save the credential was dismissed, or could not be shown")
        }
        throw SecretServiceFailure(error).credentialError(before: "the item was made", limit)
    }

    /// Unlocks items, with a prompt if the provider requires one. Throws `promptDismissed` if one of them stays locked.
    func unlock(_ items: [SecretServiceItem], _ limit: CallLimit) throws(CredentialError) {
        let count = try unsafe unlock(service, items.map { unsafe $0.object }, limit)
        guard count >= items.count else { throw Self.stillLocked }
    }

    static var stillLocked: CredentialError {
        CredentialError(
            .promptDismissed, "the prompt to unlock the keyring was dismissed, or could not be shown",
            hint: "unlock the keyring in the desktop's password manager")
    }

    /// Unlocks objects and returns the number that the provider unlocked.
    func unlock(
        _ service: UnsafeMutablePointer<SecretService>, _ objects: [UnsafeMutableRawPointer], _ limit: CallLimit
    ) throws(CredentialError) -> Int {
        var unlocked: UnsafeMutablePointer<GList>?
        let (count, error) = unsafe withGError { error in
            unsafe withGList(of: objects) { list in
                unsafe secret_service_unlock_sync(service, list, limit.cancellable.pointer, &unlocked, error)
            }
        }
        _ = unsafe GObjectList(consuming: unlocked)
        if error != nil { throw SecretServiceFailure(error).credentialError(before: "the keyring was unlocked", limit) }
        return Int(count)
    }
}

extension CredentialReference {
    /// The attributes of an item for the credential.
    var attributes: [String: String] {
        [
            SecretServiceItem.Attribute.service: service.canonical,
            SecretServiceItem.Attribute.account: account,
            SecretServiceItem.Attribute.kind: kind.rawValue,
        ]
    }
}
