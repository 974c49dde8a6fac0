// SPDX-License-Identifier: Apache-2.0
/// Marks what the library offers to others; everything else is hidden in a shared library.
///
///     class CROCO_EXPORT Goal;
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define CROCO_EXPORT __attribute__((visibility("default")))
#else
#define CROCO_EXPORT
#endif
