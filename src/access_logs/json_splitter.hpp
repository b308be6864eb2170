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
  static constexpr std::size_t kRemembered = 64;
  static constexpr int kNoPart = -1;
  static constexpr std::size_t kNoField = static_cast<std::size_t>(-1);

  /// What a member of an object is.
  struct Member {
    std::string way;          ///< its name, with those of the objects around it
    std::size_t name_at = 0;  ///< where in it its own name begins: names may have dots, too
    int part = kNoPart;
    std::size_t field_at = kNoField;  ///< where in its own name that of a field of the request begins
  };
  struct Walk;

  bool object(Walk& walk);
  bool value(Walk& walk, const Member& member, std::string_view name);
  bool skip(Walk& walk);
  const Member& member_of(Walk& walk, std::string_view name);
  int part_of(const std::string& way);

  LineParts& parts_;
  bool general_;  ///< names mean what they say
  std::map<std::string, int, std::less<>> numbers_;
  std::vector<std::string> field_ways_;  ///< how the ways to fields of the request begin
  /// Of the last line, by their order: most lines have the same.
  std::array<Member, kRemembered> members_;
};

}  // namespace headgate::access_logs
