import ArgumentParser
import SealiteDatabase
import SealiteModel

/// The options for the validation of documents.
struct PolicyOptions: ParsableArguments {
    @Option(help: "The validation level.")
    var level: SchemaPolicy.Level?

    @Option(help: "The action for documents that don't fit.")
    var action: SchemaPolicy.Action?

    @Flag(inversion: .prefixedNo, help: "Accept null for optional members.")
    var nullTypeValidation: Bool?

    /// Changes a policy according to the options.
    func change(_ policy: inout SchemaPolicy) {
        if let level { policy.level = level }
        if let action { policy.action = action }
        if let nullTypeValidation { policy.nullTypeValidation = nullTypeValidation }
    }
}
