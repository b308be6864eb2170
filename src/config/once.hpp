#pragma once
// Reads lists in which each value may occur only once.

#include "config/text/codes.hpp"
#include "config/text/report.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace headgate::config {

/// Appends `value`, which `node` contains. If `out` has the value already, reports the duplicate and returns false.
template <class Value>
bool add_once(Report& report, const Node& node, Value value, std::vector<Value>& out) {
  if (std::find(out.begin(), out.end(), value) != out.end()) {
    report.error(code::kDuplicate, node, in_quotes(node.written) + " appears twice in this list",
                 "remove one of the two");
    return false;
  }
  out.push_back(std::move(value));
  return true;
}

/// Returns the texts of a list, or the one text in place of a list.
inline std::vector<std::string> texts_once(Report& report, const Node* written) {
  std::vector<std::string> out;
  for (const Node* each : texts(written)) add_once(report, *each, each->text, out);
  return out;
}

}  // namespace headgate::config
