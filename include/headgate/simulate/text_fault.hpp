#pragma once
// An error in a small text that a user has written, and its position. Used by the parsers of simulate.

#include <cstddef>
#include <string>

namespace headgate::simulate {

/// The error as whole sentences without a final dot.
struct TextFault {
  std::size_t at = 0;    ///< position in bytes, from 0
  std::size_t size = 1;  ///< size of the wrong part in bytes, at least 1
  std::string message;
  std::string help;
};

}  // namespace headgate::simulate
