#pragma once
// Splits lines that are JSON objects (RFC 8259).

#include "line_reader.hpp"

#include <map>

namespace headgate::access_logs {

/// The splitter of JSON. Reads values in place; of an array, only the first value. Objects and arrays may be at most 32
/// deep.
class JsonSplitter final : public LineSplitter {
 public:
  /// Adds the parts of the format and of `values` to `parts`. For a general format, split() later adds the other parts
  /// that it finds in lines. The arguments must outlive this object.
  JsonSplitter(const LineFormat& format, const std::vector<std::string>& values, LineParts& parts);

  const char* split(char* begin, char* end, LineCells& cells) override;

 private:
  static constexpr std::size_t kLongestName = 256;
  static constexpr std::size_t kRemembered = 64;
  static constexpr int kNoPart = -1;
  static constexpr std::size_t kNoField = static_cast<std::size_t>(-1);

  /// A member of an object.
  struct Member {
    std::string way;          ///< path of the member: its name after the names of the enclosing objects
    std::size_t name_at = 0;  ///< offset of the member's own name in `way`; needed because names may contain dots
    int part = kNoPart;
    std::size_t field_at = kNoField;  ///< offset of the header field's name in the member's own name
  };
  struct Walk;

  bool object(Walk& walk);
  bool value(Walk& walk, const Member& member, std::string_view name);
  bool skip(Walk& walk);
  const Member& member_of(Walk& walk, std::string_view name);
  int part_of(const std::string& way);

  LineParts& parts_;
  bool general_;  ///< whether the format is general, so that the meanings follow from the names
  std::map<std::string, int, std::less<>> numbers_;
  std::vector<std::string> field_ways_;  ///< prefixes of the paths of header fields
  /// The members of the last line, in order. They are kept because the next line mostly has the same ones.
  std::array<Member, kRemembered> members_;
};

}  // namespace headgate::access_logs
