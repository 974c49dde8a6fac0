// SPDX-License-Identifier: Apache-2.0
#include <croco/base/version.hpp>

namespace croco {

std::string_view version() noexcept { return CROCO_VERSION; }

}  // namespace croco
