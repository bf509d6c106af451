public import ArgumentParser
public import SealiteModel

// What options of `sealite model` take.
extension SchemaPolicy.Level: ExpressibleByArgument {}
extension SchemaPolicy.Action: ExpressibleByArgument {}
extension SwiftWriter.Access: ExpressibleByArgument {}
