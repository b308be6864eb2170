#pragma once
// A whole JSON text from an untrusted source, such as the keys that an issuer publishes.

#include "headgate/core/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace headgate::identity {

/// A JSON value; never null. The type is a pointer, because the value itself can be constructed from anything, even
/// from the text of an error.
using JsonTree = std::shared_ptr<const nlohmann::json>;

/// Returns the value of `json`. There is an error if `json` is not exactly one value of valid UTF-8, is nested deeper
/// than kMaxJsonDepth, or has a member name twice in an object. The error is a sentence without a final dot.
Result<JsonTree, std::string> read_json_tree(std::string_view json);

}  // namespace headgate::identity
