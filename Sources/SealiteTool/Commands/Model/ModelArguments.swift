public import ArgumentParser
public import SealiteModel

// Conformances for options of `sealite model`.
extension SchemaPolicy.Level: ExpressibleByArgument {}
extension SchemaPolicy.Action: ExpressibleByArgument {}
extension SwiftWriter.Access: ExpressibleByArgument {}
