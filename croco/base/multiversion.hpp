// SPDX-License-Identifier: Apache-2.0
/// Functions that are compiled for several instruction sets and chosen at run time.
#pragma once

/// Marks a function whose loops pay from wide vectors. Contraction is off and reductions are
/// written in a fixed order, so that every version gives the same bits. Sanitizers instrument the
/// resolvers, which run too early for them: plain code there.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CROCO_MULTIVERSION __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define CROCO_MULTIVERSION
#endif
