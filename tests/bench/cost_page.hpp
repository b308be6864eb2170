#pragma once
// The table of the cost of a request in docs/performance.md: the bench writes it, a test compares with it.

#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {

/// The cost of a request for one proxy.
struct Cost {
  double instructions;
  double calls;
};

struct CostRow {
  std::string name;
  Cost headgate;
  std::optional<Cost> nginx = {};  ///< if it was measured and has this function
  std::optional<Cost> haproxy = {};
  std::optional<Cost> nghttpx = {};
};

/// What the figures depend on beside our code: the compiler and Valgrind.
std::string counted_with();

/// Returns the rows as a table in Markdown, below a line that names the compiler.
std::string table_of(const std::vector<CostRow>& rows);
/// `page` with this table between <!-- cost --> and <!-- /cost -->.
std::string with_table(const std::string& page, const std::string& table);

/// Whether the figures of the page come from another compiler: then they cannot be compared.
bool counted_otherwise(const std::string& page);
/// One sentence for each figure of headgate that is more than 3 %, or a quarter of a call, above the page, and for each
/// row that the page lacks. Up to half a call may be one that finds nothing: a busy machine has more of them.
std::vector<std::string> grown(const std::string& page, const std::vector<CostRow>& rows);

}  // namespace headgate::bench
