#pragma once
// The format of the state that one process hands to the next: sections, with numbers and texts in the byte order of the
// machine. If a new version of headgate changes the content of a section, it increases the section's version, and an
// older process leaves the section out.

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace headgate::server {

inline constexpr std::string_view kStateMagic = "headgate state 1\n";

inline constexpr std::string_view kLogSection = "log";
inline constexpr std::uint16_t kLogVersion = 1;
inline constexpr std::string_view kServersSection = "servers";
inline constexpr std::uint16_t kServersVersion = 1;
inline constexpr std::string_view kSizesSection = "sizes of servers";
inline constexpr std::uint16_t kSizesVersion = 1;
inline constexpr std::string_view kOverridesSection = "overrides";
inline constexpr std::string_view kBansSection = "suspensions";
inline constexpr std::uint16_t kEntriesVersion = 1;
inline constexpr std::string_view kCountersSection = "counters";
/// The version of the counters, and of keyed_hash(), whose values name the counters.
inline constexpr std::uint16_t kCountersVersion = 1;
inline constexpr std::string_view kCandidateSection = "candidate";
inline constexpr std::uint16_t kCandidateVersion = 1;
/// This section has the format of the counters.
inline constexpr std::string_view kCandidateCountersSection = "counters of the candidate";
/// The section with the number of gateways that share Redis, because Redis may be unavailable when the next process
/// starts.
inline constexpr std::string_view kGatewaysSection = "gateways";
inline constexpr std::uint16_t kGatewaysVersion = 1;
/// The last section, which shows that everything was written.
inline constexpr std::string_view kEndSection = "end";
inline constexpr std::uint16_t kEndVersion = 1;

inline constexpr std::uint8_t kStateDrained = 1;
inline constexpr std::uint8_t kStateDown = 2;

inline constexpr std::uint8_t kCounterSpent = 1;
inline constexpr std::uint8_t kCounterFirst = 2;
inline constexpr std::uint8_t kCounterLogs = 4;

/// Appends numbers and texts to a section.
class StateWriter {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_integral_v<Number>);
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    out_.append(value);
  }
  void raw(std::string_view bytes) { out_.append(bytes); }
  const std::string& bytes() const noexcept { return out_; }
  std::size_t size() const noexcept { return out_.size(); }
  void clear() noexcept { out_.clear(); }

 private:
  std::string out_;
};

/// Reads the output of a StateWriter. Beyond the end, and after the first mistake, everything is 0 or empty.
class StateReader {
 public:
  explicit StateReader(std::string_view bytes) noexcept : rest_(bytes) {}

  template <class Number>
  Number number() noexcept {
    Number value{};
    if (rest_.size() < sizeof value) {
      fail();
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  /// Reads a text. Returns a view into the bytes.
  std::string_view text() noexcept {
    const auto size = number<std::uint32_t>();
    if (rest_.size() < size) {
      fail();
      return {};
    }
    const auto out = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return out;
  }
  bool good() const noexcept { return good_; }
  std::size_t left() const noexcept { return rest_.size(); }

 private:
  void fail() noexcept {
    good_ = false;
    rest_ = {};
  }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace headgate::server
