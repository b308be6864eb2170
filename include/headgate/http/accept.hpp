#pragma once
// Content negotiation with Accept and Accept-Encoding (RFC 9110 sections 12.5.1 and 12.5.3). Used by gateway and admin.
// No errors; any thread.

#include "headgate/core/text_arena.hpp"
#include "headgate/http/fields.hpp"

#include <optional>
#include <string_view>

namespace headgate::http {

/// Limits on the part of Accept that is read, in bytes and list members. The rest is ignored.
inline constexpr std::size_t kMaxAccept = 1024;
inline constexpr unsigned kMaxAcceptRanges = 32;

/// Returns the values of all fields `id` as one list, because a client may send several. A list longer than kMaxAccept
/// is cut; the result has at most about twice that length. It is a view into `text` or into the only field.
std::string_view accepted(const Fields& fields, Known id, TextArena& text);

/// Returns a client's preference for `type` ("text/html"), from 0 (not accepted) to 1000. The most specific range that
/// matches decides: "text/html", then "text/*", then "*/*". An invalid weight counts as 1000. Returns 0 if no range
/// matches. `accept` comes from accepted().
unsigned quality_of(std::string_view accept, std::string_view type) noexcept;

/// Whether a type with a structured suffix ("+proto", RFC 6838 section 4.2.8) counts as the type.
enum class Suffixed : bool { no, yes };

/// Returns whether a client accepts `type` by its name (with a weight above 0), not only by a range with "*". If the
/// type is listed twice, the first one counts; with suffixes, one member with a weight above 0 is enough. `accept`
/// comes from accepted().
bool names_type(std::string_view accept, std::string_view type, Suffixed suffixed = Suffixed::no) noexcept;
/// Does the same as names_type() above, for the Accept fields of a head. Each field is examined on its own.
bool names_type(const Fields& fields, std::string_view type, Suffixed suffixed = Suffixed::no) noexcept;

/// Returns a client's preference for the content coding `coding` ("br", "identity"), from 0 (not accepted) to 1000;
/// empty if neither the coding nor "*" is listed. "x-gzip" is "gzip" (section 8.4.1.3). If a coding is listed twice,
/// the first one counts. `accept` comes from accepted().
std::optional<unsigned> coding_quality(std::string_view accept, std::string_view coding) noexcept;

}  // namespace headgate::http
