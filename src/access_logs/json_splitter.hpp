#pragma once
// Lines that are objects of JSON (RFC 8259).

#include "line_reader.hpp"

#include <map>

namespace headgate::access_logs {

/// Reads values where they stand, and of an array its first one. Objects and arrays are at most 32 deep.
class JsonSplitter final : public LineSplitter {
 public:
  /// Adds to `parts` those of the format and `values`, and later, if it is a general one, what lines have. They outlive
  /// it.
  JsonSplitter(const LineFormat& format, const std::vector<std::string>& values, LineParts& parts);

  const char* split(char* begin, char* end, LineCells& cells) override;

 private:
  static constexpr std::size_t kLongestName = 256;
  static constexpr std::size_t kGuesses = 64;
  static constexpr int kNoPart = -1;
  static constexpr int kField = -2;

  struct Guess {
    std::string name;
    int part = kNoPart;
  };
  struct Walk;

  bool object(Walk& walk, int depth);
  bool value(Walk& walk, int part, std::string_view name, int depth);
  bool skip(Walk& walk);
  int part_of(Walk& walk, std::string_view name);
  int look_up(const std::string& name, std::string_view way);

  LineParts& parts_;
  bool general_;  ///< names mean what they say
  std::map<std::string, int, std::less<>> numbers_;
  std::vector<std::string> field_objects_;  ///< with the dot behind them
  std::array<Guess, kGuesses> guesses_;     ///< of the members of a line, by their order: most lines have the same
};

}  // namespace headgate::access_logs
