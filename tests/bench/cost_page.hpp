#pragma once
// The table of docs/performance.md that says what a request costs: written by the bench, compared by its test.

#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {

/// What a request costs one proxy.
struct Cost {
  double instructions;
  double calls;
};

struct CostRow {
  std::string name;
  Cost headgate;
  std::optional<Cost> nginx = {};  ///< where it was measured, and has such a thing
  std::optional<Cost> haproxy = {};
};

/// What the figures depend on beside our own code: the compiler, and the valgrind that counts.
std::string counted_with();

/// As Markdown, with the compiler above it.
std::string table_of(const std::vector<CostRow>& rows);
/// `page` with this table in the place of the one that stands between <!-- cost --> and <!-- /cost -->.
std::string with_table(const std::string& page, const std::string& table);

/// Whether the page's figures were counted with another compiler: then they say nothing here.
bool counted_otherwise(const std::string& page);
/// A sentence for each figure of headgate that is more than 3 %, or a quarter of a call, above what the page says, and
/// for each row that it lacks.
std::vector<std::string> grown(const std::string& page, const std::vector<CostRow>& rows);

}  // namespace headgate::bench
