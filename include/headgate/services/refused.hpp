#pragma once
// Why a service does not do what an operator asks for.

#include <string>

namespace headgate::services {

struct Refused {
  unsigned status = 0;  ///< of HTTP
  std::string why;      ///< a sentence
};

}  // namespace headgate::services
