public import FoundationEssentials
internal import SealiteValues

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
        setValue(.number(Number(json: DoubleText.text(of: value)) ?? Number(Double(value))), forKey: key)
    }

    /// Sets a property to true or false.
    @discardableResult
    public func setBoolean(_ value: Bool, forKey key: String) -> Self { setValue(.boolean(value), forKey: key) }

    /// Sets a property to a date with milliseconds in a stored form, or to null. For peers that use Couchbase Lite, which
    /// reads dates from ISO 8601 text only, the form is ``ValueForm/text``.
    @discardableResult
    public func setDate(_ value: Date?, forKey key: String, form: ValueForm = .typed) -> Self {
        setValue(value.map { .date($0, form: form) } ?? .null, forKey: key)
    }

    /// Sets a property to bytes in a stored form, or to null. The document itself contains the bytes; larger content is
    /// better stored as a ``Blob``.
    @discardableResult
    public func setData(_ value: Data?, forKey key: String, form: ValueForm = .typed) -> Self {
        setValue(value.map { .data($0, form: form) } ?? .null, forKey: key)
    }

    /// Sets a property to a UUID in a stored form, or to null.
    @discardableResult
    public func setUUID(_ value: UUID?, forKey key: String, form: ValueForm = .typed) -> Self {
        setValue(value.map { .uuid($0, form: form) } ?? .null, forKey: key)
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
