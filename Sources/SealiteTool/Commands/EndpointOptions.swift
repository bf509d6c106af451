import ArgumentParser
import Foundation
import SealiteAuthentication
import SealiteCredentials
import SealiteCrypto
import SealiteFile
import SealiteReplicator

/// The server for `login` and `logout`, and the certificates to trust.
struct EndpointOptions: ParsableArguments {
    @Argument(help: "The database on the server, as https://host/database or wss://host/database.")
    var url: String

    @Option(help: ArgumentHelp("The user of the session.", valueName: "name"))
    var user: String?

    @OptionGroup(title: "Server trust") var trust: SyncTrustOptions

    @Flag(help: "Allow the password or session to be sent unencrypted to another machine.")
    var allowUnencrypted = false

    @Option(help: ArgumentHelp("Wait this long for the server.", valueName: "seconds"))
    var serverTimeout = 30.0

    func validate() throws {
        guard (0.1...3600).contains(serverTimeout) else {
            throw ValidationError("--server-timeout takes 0.1 to 3600 seconds.")
        }
    }

    var endpoint: CredentialService {
        get throws {
            let service = try CredentialService(url)
            guard service.scheme != nil else {
                throw ToolError.usage(
                    "\"\(url)\" isn't the URL of a database on a server", hint: "give it as https://host/database")
            }
            return service
        }
    }

    var client: SessionClient {
        get throws {
            SessionClient(
                trust: try trust.trust, timeLimit: .milliseconds(Int64(serverTimeout * 1000)),
                allowsUnencrypted: allowUnencrypted)
        }
    }
}
