// PCRE2 over bytes: its header wants to know the size of a character first.
#ifndef SEALITE_CPCRE2_SHIM_H
#define SEALITE_CPCRE2_SHIM_H

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#endif
