#pragma once
// What `./dev bench identity` measures: each function fills some rows of its table.

#include "identity_rounds.hpp"

#include <optional>
#include <string>
#include <vector>

namespace headgate::bench {

struct IdentityRow {
  std::string what;
  std::string target;  ///< empty where there is none
  std::string result;
  std::optional<bool> reached;
};
using IdentityRows = std::vector<IdentityRow>;

// Each throws std::runtime_error where what it measures did not do what it should: the row would tell of other work.
IdentityRows remembered_rows(const Rounds& rounds);
IdentityRows signature_rows(const Rounds& rounds);
IdentityRows address_rows(const Rounds& rounds);
IdentityRows api_key_rows(const Rounds& rounds);

std::string number(double value, int digits);   ///< with this many digits behind the point
std::string nanoseconds(const Spread& spread);  ///< "412 ns (405-420)": the middle and the middle half

}  // namespace headgate::bench
