#pragma once
// What is wrong with a small text that a user has written, and where.

#include <cstddef>
#include <string>

namespace headgate::simulate {

/// Whole sentences without a final dot.
struct TextFault {
  std::size_t at = 0;    ///< in bytes, from 0
  std::size_t size = 1;  ///< of what is wrong, at least 1
  std::string message;
  std::string help;
};

}  // namespace headgate::simulate
