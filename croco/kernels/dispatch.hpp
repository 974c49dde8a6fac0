// SPDX-License-Identifier: Apache-2.0
// What every kernel file needs before it includes Highway. The kernels are compiled for each
// instruction set, and the best one that the processor has is chosen at run time. They compute
// every draw on its own, in one order, without fused operations where the header says so, so that
// all instruction sets give the same bits.
#pragma once

#include <hwy/detect_targets.h>

// Arrays of vectors need vectors of a size that is known when compiling.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV | HWY_SSSE3 | HWY_AVX3_DL)
