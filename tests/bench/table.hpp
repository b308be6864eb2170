#pragma once
// The table that a bench prints: what, its target, whether that was reached, and the figure.

#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {

struct Row {
  std::string what;
  std::string target;  ///< empty where there is none
  std::string result;
  std::optional<bool> reached;
};
using Rows = std::vector<Row>;

void print(const Rows& rows);  ///< as soon as each is there; a table may come in parts

std::string number(double value, int digits);  ///< with this many digits behind the point

}  // namespace headgate::bench
