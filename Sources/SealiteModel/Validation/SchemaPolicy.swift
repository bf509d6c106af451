public import SealiteValues

/// The rules for validating documents of a type when they are saved (Documentation/Models.md §6).
public struct SchemaPolicy: Sendable, Hashable {
    /// A level that determines which documents are validated.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// No documents are validated.
        case off
        /// New documents are validated, and changed documents if they conformed before the change.
        case moderate
        /// All documents are validated.
        case strict
    }

    /// The consequence for a document that doesn't conform.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The document isn't saved, and saving it throws ``SchemaError/unfit(type:violations:)``.
        case error
        /// The document is saved, and a ``SchemaWarning`` is reported.
        case warn
    }

    /// The level that determines which documents are validated.
    public var level: Level
    /// The consequence for a document that doesn't conform.
    public var action: Action
    /// A Boolean value that says whether null is valid for a property that may be absent.
    public var nullTypeValidation: Bool

    /// Creates a policy; the default is the strictest one.
    public init(level: Level = .strict, action: Action = .error, nullTypeValidation: Bool = false) {
        (self.level, self.action, self.nullTypeValidation) = (level, action, nullTypeValidation)
    }
}

extension SchemaPolicy {
    /// Creates the policy from the content of the member `sealite` of a stored schema (Documentation/Models.md §3);
    /// missing and unknown settings have their defaults.
    public init(sealite members: MongoDocument) {
        self.init()
        if case .string(let text)? = members["level"], let known = Level(rawValue: text) { level = known }
        if case .string(let text)? = members["action"], let known = Action(rawValue: text) { action = known }
        if case .bool(let value)? = members["nullTypeValidation"] { nullTypeValidation = value }
    }

    /// The members that the policy has in `sealite`: the settings that differ from the defaults.
    public var members: MongoDocument {
        var members: MongoDocument = [:]
        if level != .strict { members["level"] = .string(level.rawValue) }
        if action != .error { members["action"] = .string(action.rawValue) }
        if nullTypeValidation { members["nullTypeValidation"] = .bool(true) }
        return members
    }
}
