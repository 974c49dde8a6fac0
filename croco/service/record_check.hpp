// SPDX-License-Identifier: Apache-2.0
/// Records of requests: checked so that no message repeats what they say.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include <croco/data/codec.hpp>

namespace croco {

/// Reads values by feature. Throws BadRequest naming the features that are missing, or saying that
/// there is a name which is none.
[[nodiscard]] Record read_record(const nlohmann::ordered_json& json, const Schema& schema,
                                 const std::string& where);

/// What is wrong with a record, naming the feature and the rule but never the value; empty when it
/// can be read.
[[nodiscard]] std::string record_fault(const Codec& codec, const Record& record,
                                       MissingPolicy missing);

}  // namespace croco
