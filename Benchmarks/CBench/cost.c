// The price of a page in OpenSSL itself, and the memory of another program.
#include "CBench.h"
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS = 3, PAGES = 150, PLACES = 64 };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int one_page(EVP_CIPHER_CTX *context, int sealing, unsigned char *page, int bytes, unsigned char *tag) {
    static unsigned char nonce[12], data[32];
    int count, ok;
    if (sealing) nonce[0]++, nonce[1] += nonce[0] == 0;
    ok = EVP_CipherInit_ex2(context, 0, 0, nonce, sealing, 0) == 1;
    if (!sealing) ok &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1;
    ok &= EVP_CipherUpdate(context, 0, &count, data, sizeof data) == 1;
    ok &= EVP_CipherUpdate(context, page, &count, page, bytes) == 1;
    // The tag doesn't fit when opening: the same work is done to find that out.
    ok &= EVP_CipherFinal_ex(context, page, &count) == sealing;
    if (sealing) ok &= EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
    return ok;
}

double bench_page_cost(int sealing, int bytes) {
    static EVP_CIPHER *cipher;
    unsigned char key[32] = {1}, nonce[12] = {0}, tag[16] = {0};
    double best = -1;
    int ok = 1;
    if (!cipher) cipher = EVP_CIPHER_fetch(0, "AES-256-GCM", 0);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    unsigned char *pages = calloc(PLACES, (size_t)bytes + 64);
    if (cipher && context && pages && EVP_CipherInit_ex2(context, cipher, key, nonce, sealing, 0) == 1) {
        for (int run = 0; run < RUNS; run++) {
            double start = now();
            for (int page = 0; page < PAGES; page++)
                ok &= one_page(context, sealing, pages + (page % PLACES) * (bytes + 64), bytes, tag);
            double cost = (now() - start) / PAGES;
            if (best < 0 || cost < best) best = cost;
        }
    }
    free(pages);
    EVP_CIPHER_CTX_free(context);
    return ok ? best : -1;
}

long bench_peak_memory(char *const *arguments) {
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execv(arguments[0], arguments);
        _exit(127);
    }
    struct rusage usage;
    int status = 0;
    if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return -1;
    return usage.ru_maxrss;
}
