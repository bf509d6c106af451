import SealiteCredentials
import SealiteCrypto
import SealiteReplicator

/// The certificate that `sealite serve` presents if none is named.
extension LazyCredentialStore {
    private static let validity = Duration.seconds(3_650 * 86_400)

    /// Returns the certificate that an earlier start stored for a database; if there is none, or it has expired,
    /// creates and stores a new one. Clients that pinned the certificate therefore need no change after a restart.
    ///
    /// - Returns: the certificate; nil if there is no vault, or if the store doesn't accept the new certificate, which
    ///   a message on standard error says.
    func keptIdentity(for service: CredentialService) async throws -> TransportIdentity? {
        let reference = try CredentialReference(service: service, account: "", kind: .clientIdentity)
        do throws(CredentialError) {
            if let kept = try await identityInForce(reference) { return kept }
        } catch {
            if error.code == .noVault { return nil }
            guard error.code == .notFound else { throw error }
        }
        let made = try TransportIdentity.selfSigned(
            commonName: "Sealite", hosts: ["localhost", "127.0.0.1", "::1"], validity: Self.validity)
        do throws(CredentialError) {
            try await open().save(
                .clientIdentity(
                    ClientIdentityCredential(certificates: made.certificates, privateKey: made.privateKey.duplicate())),
                service: service, account: "", label: "Certificate of sealite serve", access: access)
            // If two processes start at the same time, both must present the stored certificate.
            return try await identityInForce(reference)
        } catch {
            Console.note(
                "the server's certificate couldn't be kept in the credential store, and the next start may have another: \(error.reason)"
                    .withoutControls + "\n")
            return nil
        }
    }

    /// Returns the stored identity; nil if its certificate is self-signed and has expired.
    private func identityInForce(_ reference: CredentialReference) async throws(CredentialError) -> TransportIdentity? {
        guard case .clientIdentity(let stored) = try await open().read(reference, access: access) else {
            throw CredentialError(.damaged, "the stored credential \(reference) isn't a certificate with its key")
        }
        if let certificate = stored.certificates.first {
            do throws(CertificateFault) {
                try CertificateVerification.checkSelfSigned(certificate)
            } catch .expired {
                return nil
            } catch {
                // A certificate that isn't self-signed was stored by the user, who is responsible for its validity.
            }
        }
        return TransportIdentity(stored)
    }
}
