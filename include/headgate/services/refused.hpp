#pragma once
// Why a service refuses an operator's call.

#include <string>

namespace headgate::services {

struct Refused {
  unsigned status = 0;  ///< HTTP status.
  std::string why;      ///< A sentence.
};

}  // namespace headgate::services
