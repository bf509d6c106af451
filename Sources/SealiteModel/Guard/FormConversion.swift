internal import SealiteDatabase

/// Converts values that documents hold as text, where a schema says that they are dates, bytes or UUIDs, to the form of
/// these types (`ValueForm.typed`).
///
/// Text under a property of any other type stays as it is, and so does text that isn't a date, Base64 or a UUID.
struct FormConversion {
    let schema: Schema

    /// Returns the members of a document or an embedded object with their values converted; nil if nothing changes.
    func converted(_ members: DictionaryObject, _ type: ObjectSchema) -> DictionaryObject? {
        var result: DictionaryObject?
        for property in type.properties where property.name != type.primaryKey {
            guard let value = members[property.name], let other = converted(value, property.type) else { continue }
            var changed = result ?? members
            changed[property.name] = other
            result = changed
        }
        return result
    }

    private func converted(_ value: Value, _ type: PropertyType) -> Value? {
        switch (type, value) {
        case (.date, .string): value.date.map { .date($0) }
        case (.uuid, .string): value.uuid.map { .uuid($0) }
        case (.data, .string): value.data.map { .data($0) }
        case (.link(_, let key), _): converted(value, key)
        case (.embedded(let name), .dictionary(let members)):
            schema[name].flatMap { converted(members, $0) }.map { .dictionary($0) }
        case (.array(let type), .array(let items)), (.set(let type), .array(let items)):
            converted(items, type).map { .array($0) }
        case (.dictionary(let type), .dictionary(let members)):
            converted(members, type).map { .dictionary($0) }
        default: nil
        }
    }

    private func converted(_ items: ArrayObject, _ type: PropertyType) -> ArrayObject? {
        let changed = items.map { converted($0, type) }
        guard changed.contains(where: { $0 != nil }) else { return nil }
        return ArrayObject(zip(items, changed).map { $1 ?? $0 })
    }

    private func converted(_ members: DictionaryObject, _ type: PropertyType) -> DictionaryObject? {
        let changed = members.entries.map { converted($0.value, type) }
        guard changed.contains(where: { $0 != nil }) else { return nil }
        return DictionaryObject(zip(members.entries, changed).map { ($0.key, $1 ?? $0.value) })
    }
}

extension SchemaCatalogue {
    /// Converts, in the documents of types, dates, bytes and UUIDs that are stored as text to the form of these types
    /// (`ValueForm.typed`), all in one transaction. What a schema doesn't declare stays as it is.
    ///
    /// - Returns: the number of changed documents.
    /// - Throws: errors of the storage; then nothing is changed.
    @discardableResult
    public func convertForms(of schemas: [StoredSchema]) throws -> Int {
        try database.write { transaction in
            try transaction.withoutGuards {
                var count = 0
                for stored in schemas {
                    guard let collection = stored.collection else { continue }
                    let conversion = FormConversion(schema: stored.schema)
                    var last: Document?
                    repeat {
                        let page = try collection.documents(
                            in: DocumentRange(), after: last, limit: 256, byteLimit: 1 << 20)
                        for document in page {
                            guard let members = conversion.converted(document.toDictionary(), stored.object) else {
                                continue
                            }
                            try transaction.save(document.toMutable().setData(members), in: collection)
                            count += 1
                        }
                        last = page.last
                    } while last != nil
                }
                return count
            }
        }
    }
}
