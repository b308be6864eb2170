#pragma once
// How a route splits its requests among several upstreams: by weight, by a key, or as a request asks. config fills it.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {

/// What a request has that asks for one share: a header field or a cookie with exactly this value, once.
struct SplitWhen {
  enum class In { header, cookie };
  In in = In::header;
  std::string name;  ///< of a header: lower case
  std::string value;
};

/// One upstream of a split, and its part of the requests.
struct SplitShare {
  std::string upstream;
  std::uint32_t weight = 1;     ///< its part of the sum of all weights; 0: only requests that ask for it
  std::vector<SplitWhen> when;  ///< one of these asks for it
  std::uint64_t seed = 0;       ///< made of the upstream's name
};

/// Constant; any thread.
struct Split {
  std::vector<SplitShare> shares;  ///< each of another upstream; one at least has a weight
  std::vector<limit::Per> by;      ///< requests with one key get one share; empty: by chance
};

using SplitPtr = std::shared_ptr<const Split>;

}  // namespace headgate::gateway
