#pragma once
// What kinds of answer a client takes: Accept and Accept-Encoding (RFC 9110 sections 12.5.1 and 12.5.3).

#include "headgate/core/text_arena.hpp"
#include "headgate/http/fields.hpp"

#include <optional>
#include <string_view>

namespace headgate::http {

/// How much of Accept is read: bytes, and members of its list. What follows counts as not written.
inline constexpr std::size_t kMaxAccept = 1024;
inline constexpr unsigned kMaxAcceptRanges = 32;

/// The values of all fields `id` as one list: what a client takes may be said in several. Of a list longer than
/// kMaxAccept only its beginning is there, at most about twice as long. A view into `text`, or into the one field.
std::string_view accepted(const Fields& fields, Known id, TextArena& text);

/// How gladly a client takes `type` ("text/html"), from 0 (not at all) to 1000. The most specific range that fits
/// decides: "text/html", then "text/*", then "*/*". A weight that is not valid counts as 1000. 0 if no range fits.
/// `accept`: as accepted() gives it.
unsigned quality_of(std::string_view accept, std::string_view type) noexcept;

/// Whether a type with a suffix of its own ("+proto", RFC 6838 section 4.2.8) counts as the type.
enum class Suffixed : bool { no, yes };

/// Whether a client names `type` itself, not only a range with "*" that it is in, and takes it (with a weight above 0).
/// Where it stands twice the first one counts. `accept`: as accepted() gives it.
bool names_type(std::string_view accept, std::string_view type, Suffixed suffixed = Suffixed::no) noexcept;
/// The same of a head, where each field is read by itself.
bool names_type(const Fields& fields, std::string_view type, Suffixed suffixed = Suffixed::no) noexcept;

/// How gladly a client takes the content coding `coding` ("br", "identity"), from 0 (not at all) to 1000; nothing if
/// neither it nor "*" is in the list. "x-gzip" is "gzip" (section 8.4.1.3). Of a coding that stands twice the first one
/// counts. `accept`: as accepted() gives it.
std::optional<unsigned> coding_quality(std::string_view accept, std::string_view coding) noexcept;

}  // namespace headgate::http
