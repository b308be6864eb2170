#pragma once
// The split of a route's requests among several upstreams: by weight, by a key, or at the request of a client. config
// fills it.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace headgate::gateway {

/// The mark of a request that asks for one share: a header field or a cookie that appears once and has exactly this
/// value.
struct SplitWhen {
  enum class In { header, cookie };
  In in = In::header;
  std::string name;  ///< name of the field, in lower case, or of the cookie
  std::string value;
};

/// One upstream of a split, and its share of the requests.
struct SplitShare {
  std::string upstream;
  std::uint32_t weight = 1;     ///< part of the sum of all weights; 0 to get only requests that ask for this upstream
  std::vector<SplitWhen> when;  ///< marks, each of which asks for this share
  std::uint64_t seed = 0;       ///< derived from the upstream's name
};

/// The shares of one route. Constant; any thread.
struct Split {
  std::vector<SplitShare> shares;  ///< each for another upstream; at least one has a weight
  std::vector<limit::Per> by;      ///< requests with the same key get the same share; empty to choose by chance
};

using SplitPtr = std::shared_ptr<const Split>;

}  // namespace headgate::gateway
