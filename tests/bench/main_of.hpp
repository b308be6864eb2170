#pragma once
// The main() of a bench: options, help where they are wrong, and what went wrong in a sentence.

#include <exception>
#include <iostream>
#include <optional>

namespace headgate::bench {

/// What main() returns: 2 where there are no options, 1 where `run` throws, else what it returns.
template <class Options, class Run>
int main_of(const char* usage, const std::optional<Options>& options, Run&& run) {
  if (!options) {
    std::cerr << usage;
    return 2;
  }
  try {
    return run(*options);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

}  // namespace headgate::bench
