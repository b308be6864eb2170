#pragma once
// The refusal of an operator's call by a service.

#include <string>

namespace headgate::services {

struct Refusal {
  unsigned status = 0;  ///< HTTP status of the refusal.
  std::string why;      ///< Reason for the refusal, a sentence.
};

}  // namespace headgate::services
