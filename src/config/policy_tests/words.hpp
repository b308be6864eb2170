#pragma once
// The keys in files of policy tests.

#include "config/table.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"

#include <optional>
#include <string_view>

namespace headgate::config {

/// The section for the whole file.
extern const Section kPolicyTestsSection;

/// The parts of a line such as "GET https://api.example.com/items?page=2". They are views into the text.
struct SentLine {
  std::string_view method;
  std::optional<bool> tls;  ///< empty if the line has no host
  std::string_view host;    ///< host with its port
  std::string_view path;
  std::string_view query;  ///< query with its '?'; empty if there is none
};
Result<SentLine, LiteralError> read_sent(std::string_view text);

/// Reads a time such as "2026-01-31T12:00:00Z".
Result<Instant, LiteralError> read_moment(std::string_view text);

inline constexpr std::string_view kFirstMoment = "2026-01-01T00:00:00Z";
inline constexpr std::string_view kRedisStates[] = {"down", "up"};
/// The keys that a step may have only together with "send".
inline constexpr std::string_view kOfSend[] = {"ip",          "headers", "claims", "api_key_owner", "user",
                                               "certificate", "body",    "json",   "answer"};
/// The keys that a step may have only together with "domain".
inline constexpr std::string_view kOfCall[] = {"descriptors", "hits"};
/// The keys that a step may have together with "send" or "domain".
inline constexpr std::string_view kOfBoth[] = {"times", "expect"};
/// The keys of "expect" that describe an answer of the rate limit service, and those that do not.
inline constexpr std::string_view kExpectedOfCall[] = {"code", "codes"};
inline constexpr std::string_view kExpectedOfSend[] = {"status", "upstream", "took"};

}  // namespace headgate::config
