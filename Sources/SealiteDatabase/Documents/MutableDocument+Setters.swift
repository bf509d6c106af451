public import FoundationEssentials

// A setter for each type, under Couchbase Lite's names.
extension MutableDocument {
    /// Sets a property to text, or to null.
    @discardableResult
    public func setString(_ value: String?, forKey key: String) -> Self {
        setValue(value.map { .string($0) } ?? .null, forKey: key)
    }

    /// Sets a property to a number, or to null.
    @discardableResult
    public func setNumber(_ value: Number?, forKey key: String) -> Self {
        setValue(value.map { .number($0) } ?? .null, forKey: key)
    }

    /// Sets a property to an integer.
    @discardableResult
    public func setInt(_ value: Int, forKey key: String) -> Self { setValue(Value(value), forKey: key) }

    /// Sets a property to a 64-bit integer.
    @discardableResult
    public func setInt64(_ value: Int64, forKey key: String) -> Self { setValue(Value(value), forKey: key) }

    /// Sets a property to a floating-point number; a number that isn't finite can't be saved.
    @discardableResult
    public func setDouble(_ value: Double, forKey key: String) -> Self { setValue(Value(value), forKey: key) }

    /// Sets a property to a floating-point number, with the digits of single precision.
    @discardableResult
    public func setFloat(_ value: Float, forKey key: String) -> Self {
        setValue(.number(Number(json: value.description) ?? Number(Double(value))), forKey: key)
    }

    /// Sets a property to true or false.
    @discardableResult
    public func setBoolean(_ value: Bool, forKey key: String) -> Self { setValue(.boolean(value), forKey: key) }

    /// Sets a property to a date, which is kept as ISO 8601 text with milliseconds, or to null.
    @discardableResult
    public func setDate(_ value: Date?, forKey key: String) -> Self {
        setValue(value.map { .date($0) } ?? .null, forKey: key)
    }

    /// Sets a property to a blob, whose content is stored when the document is saved, or to null.
    @discardableResult
    public func setBlob(_ value: Blob?, forKey key: String) -> Self {
        setValue(value.map { .blob($0) } ?? .null, forKey: key)
    }

    /// Sets a property to an array, or to null.
    @discardableResult
    public func setArray(_ value: ArrayObject?, forKey key: String) -> Self {
        setValue(value.map { .array($0) } ?? .null, forKey: key)
    }

    /// Sets a property to a dictionary, or to null.
    @discardableResult
    public func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self {
        setValue(value.map { .dictionary($0) } ?? .null, forKey: key)
    }
}
