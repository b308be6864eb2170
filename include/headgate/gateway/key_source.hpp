#pragma once
// The sources that a limit can count by: one row for each word that `per` takes. A row is a file in
// src/gateway/key_sources, and the build makes the table of them; no other code names a row.

#include "headgate/limit/limit.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headgate::gateway {

struct Exchange;

/// The requirement of a source on a request. The path uses the requirements to decide what to check first, and
/// `headgate check` uses them to find what a configuration lacks.
enum class Needs : std::uint8_t {
  nothing,         ///< no requirement: every request has a value
  token,           ///< a verified token
  api_key,         ///< an API key
  certificate,     ///< a client certificate that the gateway verified
  user,            ///< a user whose password was verified
  service,         ///< the field of the auth service's answer that has the source's name
  field,           ///< the header field that has the source's name; it may appear only once
  path_parameter,  ///< a route whose path has a parameter with the source's name
  cookie,          ///< the cookie that has the source's name; it may have only one value
  part,            ///< another part of the request that a caller may leave out
  descriptor,      ///< a call of Envoy's rate limit service whose descriptor has the source's name
  body,            ///< the value in the request's body at the pointer that is the source's name
};

/// A set of requirements.
class NeedSet {
 public:
  constexpr bool has(Needs needs) const noexcept { return (bits_ & bit(needs)) != 0; }
  constexpr void add(Needs needs) noexcept { bits_ |= bit(needs); }

 private:
  static constexpr unsigned bit(Needs needs) noexcept { return 1U << static_cast<unsigned>(needs); }

  unsigned bits_ = 0;
};

/// The kind of a source's values, for the sentences of `headgate check` ("each <caller> on each <place>").
enum class Counts : std::uint8_t { callers, places, everybody };

/// The name that follows a source's word, as in "header:X-Tenant".
struct SourceName {
  std::string_view placeholder;  ///< "<name>"
  std::string_view what;         ///< a noun: "field"
  std::string_view help;         ///< a sentence without its full stop, for a name that is not valid
  /// Returns the name in the form that is looked up; nothing if the name is not valid. The function is null if no name
  /// follows the word.
  std::optional<std::string> (*read)(std::string_view written) = nullptr;
};

/// The use of a source in `tier_from`.
struct SourceTier {
  /// Returns the name of the tier, or several names, each followed by a line feed; "" if the request names none. The
  /// function is null if the source names no tiers. The result is a view into `x` or into something that `x` holds.
  std::string_view (*value)(const Exchange& x, std::string_view name) = nullptr;
  std::string (*noun)(std::string_view name) = nullptr;  ///< a noun with its article, for `headgate check`
};

/// One source. Constant; any thread.
struct KeySource {
  std::string_view word;     ///< the word in the configuration; ends with '.' or ':' if a name follows
  std::string_view example;  ///< a complete example, for suggestions: "jwt.sub"
  std::span<const std::string_view> also = {};  ///< lower-case words of other gateways with the meaning of `example`
  SourceName name = {};
  Needs needs = Needs::nothing;
  Counts counts = Counts::callers;
  std::string (*noun)(std::string_view name) = nullptr;  ///< one value, for `headgate check`: "client address"
  /// The sentence for a caller whose request has no value, if the source needs neither token nor API key.
  std::string_view missing = {};
  /// Returns the value of this request, "" if it has none. Runs for each limit of each request, so it must not throw,
  /// lock or wait. The value is written to Redis and to logs, so a secret is replaced by its digest. The result is a
  /// view into `x`, into something that `x` holds, or into a constant.
  std::string_view (*value)(Exchange& x, std::string_view name) = nullptr;
  SourceTier tier = {};
};

/// Returns all sources, sorted by file name. The build makes the list from the files in src/gateway/key_sources.
std::span<const KeySource* const> key_sources() noexcept;

/// Returns the source whose word is `text`, or whose word begins `text` if a name follows the word; null if there is
/// none.
const KeySource* find_key_source(std::string_view text) noexcept;

/// Reads an element of `per`. Returns nothing if no source has this word, or if the name is not valid.
std::optional<limit::Per> read_per(std::string_view text);

/// Returns the source as it is written in a configuration: "client_ip", "jwt.org_id", "header:x-tenant".
std::string to_text(const limit::Per& per);

/// Returns whether every request has a value for this source.
bool always_there(const limit::Per& per) noexcept;

}  // namespace headgate::gateway
