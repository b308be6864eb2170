#pragma once
// Random spellings of a path, as an attacker tries them so that the gateway and the server read different paths.

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::test {

/// Targets of requests, the same for the same seed. Most are changed spellings of the given paths, some are no paths at
/// all.
class Spellings {
 public:
  Spellings(std::vector<std::string> paths, unsigned seed) : paths_(std::move(paths)), random_(seed) {}

  std::string next();

 private:
  using Choices = std::vector<std::string_view>;

  bool once_in(unsigned times) { return std::uniform_int_distribution<unsigned>(1, times)(random_) == 1; }
  std::string_view one_of(const Choices& choices) {
    return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random_)];
  }
  std::string segment(std::string_view plain, unsigned escapes);
  std::string escaped(char c);

  std::vector<std::string> paths_;
  std::mt19937 random_;
};

}  // namespace headgate::test
