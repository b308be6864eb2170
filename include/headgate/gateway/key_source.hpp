#pragma once
// What a limit can count by: one row for each word that `per` takes. A row is a file in src/gateway/key_sources, and
// the build makes the table of them; no other code names one.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// What a request needs for a source to have a value. The path asks by it what to check first, and `headgate check`
/// what a configuration lacks.
enum class Needs : std::uint8_t {
  nothing,         ///< every request has it
  token,           ///< a verified token
  api_key,         ///< an API key
  certificate,     ///< a client's certificate, verified by us
  user,            ///< whose password was right
  service,         ///< the field of the auth service's answer that the source's name tells
  field,           ///< the header field that the source's name tells; it may stand once
  path_parameter,  ///< a route whose path has the parameter that the source's name tells
  cookie,          ///< the cookie that the source's name tells; it may have one value
  part,            ///< something else that a caller may leave out
};

/// Some of them.
class NeedSet {
 public:
  constexpr bool has(Needs needs) const noexcept { return (bits_ & bit(needs)) != 0; }
  constexpr void add(Needs needs) noexcept { bits_ |= bit(needs); }

 private:
  static constexpr unsigned bit(Needs needs) noexcept { return 1U << static_cast<unsigned>(needs); }

  unsigned bits_ = 0;
};

/// What a source's values are to a reader of `headgate check`: "each <caller> on each <place>".
enum class Counts : std::uint8_t { callers, places, everybody };

/// The name that follows a source's word, as in "header:X-Tenant".
struct SourceName {
  std::string_view placeholder;  ///< "<name>"
  std::string_view what;         ///< a noun: "field"
  std::string_view help;         ///< a sentence without its dot, for a name that is not valid
  /// The name as it is looked up; nothing if it is not valid. Null: no name follows.
  std::optional<std::string> (*read)(std::string_view written) = nullptr;
};

/// What a source is where `tier_from` names it.
struct SourceTier {
  /// The tier's name, "" if the request tells none; or several names with a line feed behind each. Null: the source
  /// names no tiers. A view into `x` or what it holds.
  std::string_view (*value)(const Exchange& x, std::string_view name) = nullptr;
  std::string (*noun)(std::string_view name) = nullptr;  ///< with its article, for `headgate check`
};

/// One row. Constant; any thread.
struct KeySource {
  std::string_view word;                        ///< as a user writes it; ends with '.' or ':' if a name follows
  std::string_view example;                     ///< the whole of it, as a suggestion: "jwt.sub"
  std::span<const std::string_view> also = {};  ///< lower-case words of other gateways that mean `example`
  SourceName name = {};
  Needs needs = Needs::nothing;
  Counts counts = Counts::callers;
  std::string (*noun)(std::string_view name) = nullptr;  ///< one value, for `headgate check`: "client address"
  /// What a caller without it is told, if it needs neither token nor API key.
  std::string_view missing = {};
  /// The value of this request, "" if it has none. Runs for each limit of each request: no throw, no lock, no wait. It
  /// is written to Redis and to logs, so a secret is only its digest. A view into `x`, what it holds, or a constant.
  std::string_view (*value)(Exchange& x, std::string_view name) = nullptr;
  SourceTier tier = {};
};

/// All rows, sorted by file. Made by the build of the files in src/gateway/key_sources.
std::span<const KeySource* const> key_sources() noexcept;

/// The source whose word `text` is, or begins with if a name follows; null if there is none.
const KeySource* find_key_source(std::string_view text) noexcept;

/// Reads what a user writes in `per`. Nothing if no source has this word, or the name is not valid.
std::optional<limit::Per> read_per(std::string_view text);

/// As a user writes it: "client_ip", "jwt.org_id", "header:x-tenant".
std::string to_text(const limit::Per& per);

/// Whether every request has this part.
bool always_there(const limit::Per& per) noexcept;

}  // namespace headgate::gateway
