#pragma once
// What `./dev bench identity` measures: each function fills some rows of its table.

#include "identity_rounds.hpp"
#include "table.hpp"

#include <string>

namespace headgate::bench {

// Each throws std::runtime_error where what it measures did not do what it should: the row would tell of other work.
Rows remembered_rows(const Rounds& rounds);
Rows signature_rows(const Rounds& rounds);
Rows address_rows(const Rounds& rounds);
Rows api_key_rows(const Rounds& rounds);

std::string nanoseconds(const Spread& spread);  ///< "412 ns (405-420)": the middle and the middle half

}  // namespace headgate::bench
