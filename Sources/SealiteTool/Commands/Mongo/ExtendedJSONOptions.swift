import ArgumentParser
import SealiteDatabase
import SealiteMongo
import SealiteValues

/// The option for the form of Extended JSON in the output: canonical, or relaxed by default.
struct ExtendedJSONOptions: ParsableArguments {
    @Flag(help: "Write Extended JSON in its canonical form.")
    var canonical = false

    var form: ExtendedJSONForm { canonical ? .canonical : .relaxed }
}
