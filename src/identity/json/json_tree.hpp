#pragma once
// A whole JSON text, read without trust: what an issuer publishes.

#include "headgate/core/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace headgate::identity {

/// Never null. Behind a pointer, as the value itself converts from anything, an error's text too.
using JsonTree = std::shared_ptr<const nlohmann::json>;

/// The value of `json`. The error, a sentence without a final dot, where it is not exactly one value of valid UTF-8,
/// nests deeper than kMaxJsonDepth, or names a member of any object twice.
Result<JsonTree, std::string> read_json_tree(std::string_view json);

}  // namespace headgate::identity
