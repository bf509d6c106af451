// Snowball's stemmers. Debian's package has no pkg-config file.
#ifndef SEALITE_CSTEMMER_SHIM_H
#define SEALITE_CSTEMMER_SHIM_H

#include <libstemmer.h>

#endif
