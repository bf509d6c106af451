// libcrypto, and the few macros of it that Swift cannot reach.
#ifndef SEALITE_COPENSSL_SHIM_H
#define SEALITE_COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// getrandom(2), which Swift's Glibc module leaves out.
#include <sys/random.h>

// Stacks of certificates, which are macros.
static inline STACK_OF(X509) *sealite_x509_stack_new(void) { return sk_X509_new_null(); }
static inline int sealite_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline void sealite_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

// prctl(2), which is variadic.
#include <sys/prctl.h>

static inline int sealite_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

#endif
