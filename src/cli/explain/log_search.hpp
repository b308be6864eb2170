#pragma once
// Finds the lines of one request in access logs of any size, in constant memory.

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::cli {

/// The numbers of lines by kind.
struct LogCounts {
  std::uint64_t lines = 0;       ///< all lines except empty ones
  std::uint64_t unreadable = 0;  ///< not a JSON object, or longer than any line of headgate
  /// Number of requests without the field request_id, before the first line that has the field.
  std::uint64_t nameless = 0;
  std::uint64_t named = 0;    ///< 1 if a request has that field, otherwise 0
  std::uint64_t in_text = 0;  ///< lines of the wanted request in the format `text`
  std::uint64_t beyond = 0;   ///< records of the request beyond kMax
};

/// The search. Takes the bytes of one file after another.
class LogSearch {
 public:
  /// maximum length of a line in bytes; a longer one is unreadable
  static constexpr std::size_t kLongest = std::size_t{256} * 1024;
  /// maximum number of kept records; callers choose ids, so there may be any number
  static constexpr std::size_t kMax = 100;

  /// Searches for the request with this id, which consists of letters, digits, '-', '_' and '.'.
  explicit LogSearch(std::string request_id);

  void take(std::string_view bytes);
  /// Ends a file: later bytes belong to another one. An incomplete last line counts as complete.
  void end_file();

  /// Returns the records in order. They have the names of the format `json`, whatever the format of the log. A repeated
  /// line occurs once.
  const std::vector<nlohmann::ordered_json>& found() const noexcept { return found_; }
  const LogCounts& counts() const noexcept { return counts_; }

 private:
  void take_line(std::string_view line);
  void keep(std::string_view line);

  std::string id_, id_as_text_, id_in_quotes_;
  std::string begun_;  ///< a line that is not complete yet
  bool too_long_ = false;
  std::vector<nlohmann::ordered_json> found_;
  std::vector<std::string> kept_lines_;
  LogCounts counts_;
};

}  // namespace headgate::cli
