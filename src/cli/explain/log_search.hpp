#pragma once
// Finds the lines of one request in access logs of any size, in constant memory.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

/// What the lines were.
struct LogCounts {
  std::uint64_t lines = 0;       ///< in all, but empty ones
  std::uint64_t unreadable = 0;  ///< not a JSON object, or longer than a line of ours
  std::uint64_t nameless = 0;    ///< requests without the field request_id, counted until one has it
  std::uint64_t named = 0;       ///< with that field; counted up to 1
  std::uint64_t in_text = 0;     ///< of the request that is looked for, in the format `text`
  std::uint64_t beyond = 0;      ///< records of the request beyond kMax
};

/// Takes the bytes of one file after the other.
class LogSearch {
 public:
  static constexpr std::size_t kLongest = std::size_t{256} * 1024;  ///< bytes of a line; a longer one is unreadable
  static constexpr std::size_t kMax = 100;  ///< records that are kept: callers choose ids, so there may be any number

  /// Of a request with this id, of letters, digits, '-', '_' and '.'.
  explicit LogSearch(std::string request_id);

  void take(std::string_view bytes);
  /// The bytes after this are of another file. A line that it did not end counts as ended.
  void end_file();

  /// The records in their order, in the names of the format `json` whatever their format is. A line that came twice is
  /// there once.
  const std::vector<nlohmann::ordered_json>& found() const noexcept { return found_; }
  const LogCounts& counts() const noexcept { return counts_; }

 private:
  void take_line(std::string_view line);
  void keep(std::string_view line);

  std::string id_, id_as_text_, id_in_quotes_;
  std::string begun_;  ///< a line whose end has not come yet
  bool too_long_ = false;
  std::vector<nlohmann::ordered_json> found_;
  std::vector<std::string> kept_lines_;
  LogCounts counts_;
};

}  // namespace headgate::cli
