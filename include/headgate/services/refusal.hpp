#pragma once
// The refusal of an operator's call by a service.

#include <string>

namespace headgate::services {

struct Refusal {
  unsigned status = 0;  ///< HTTP status.
  std::string why;      ///< Reason, a sentence.
};

}  // namespace headgate::services
