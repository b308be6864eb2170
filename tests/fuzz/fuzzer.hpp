#pragma once
// What a fuzzer is: a function that tries any bytes, and ends the process where something does not hold.

#include <cstdlib>
#include <string_view>
#include <vector>

namespace headgate::fuzz {

inline void demand(bool holds) {
  if (!holds) std::abort();
}

struct Fuzzer {
  /// As its file and its directory of seeds are called.
  const char* name;
  void (*run)(std::string_view bytes);
};

/// All of them: one for each file *_fuzz.cpp here.
const std::vector<Fuzzer>& fuzzers();

}  // namespace headgate::fuzz
