#include "respond.hpp"

#include "gateway/forward/rewrite.hpp"
#include "gateway/limits/settle.hpp"

#include "headgate/core/text.hpp"
#include "headgate/http/date.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace headgate::gateway {
namespace {

/// The answer to a request for a fixed file: the whole body, a part of it, or only a status such as 304.
struct FilePart {
  unsigned status = 200;
  std::string_view body;
};

using http::Known;

/// How tags are compared. In a strong comparison a weak tag never matches (RFC 9110 section 8.8.3.2).
enum class Compare { strong, weak };

bool lists_tag(std::string_view list, std::string_view tag, Compare how) noexcept {
  if (trimmed(list) == "*") return true;
  std::string_view member;
  while (http::next_member(list, member)) {
    const bool weak = member.starts_with("W/");
    if (weak && how == Compare::strong) continue;
    if (member.substr(weak ? 2 : 0) == tag) return true;
  }
  return false;
}

/// Returns whether the field lists `tag`. Several fields with this name count as one list.
bool names_tag(const http::Fields& fields, Known id, std::string_view tag, Compare how) noexcept {
  return std::any_of(fields.begin(), fields.end(),
                     [&](const http::Field& field) { return field.id == id && lists_tag(field.value, tag, how); });
}

/// Returns whether the file was changed after the date; empty if the date cannot be parsed.
std::optional<bool> changed_since(std::string_view date, const Respond& file) noexcept {
  const auto then = http::read_http_date(trimmed(date));
  if (!then) return std::nullopt;
  return file.modified > *then;
}

/// Returns 412 or 304 if the conditions of the request require it; otherwise 200.
unsigned status_by_conditions(const http::Fields& fields, const Respond& file) noexcept {
  if (http::has(fields, Known::if_match)) {
    if (!names_tag(fields, Known::if_match, file.etag, Compare::strong)) return 412;
  } else if (changed_since(http::value_of(fields, Known::if_unmodified_since), file).value_or(false)) {
    return 412;
  }
  if (http::has(fields, Known::if_none_match))
    return names_tag(fields, Known::if_none_match, file.etag, Compare::weak) ? 304 : 200;
  return changed_since(http::value_of(fields, Known::if_modified_since), file).value_or(true) ? 200 : 304;
}

struct Range {
  std::size_t first = 0;
  std::size_t size = 0;  ///< number of bytes in the range; 0 if the file has none of them
};

std::optional<std::size_t> number_in_range(std::string_view text) noexcept {
  std::size_t number = 0;
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return std::nullopt;
  // A number that does not fit is beyond the end of every file.
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return text.npos;
  return number;
}

/// Parses one byte range. Empty for any other form; such a request is answered with the whole body (section 14.2).
std::optional<Range> read_range(std::string_view value, std::size_t size) noexcept {
  constexpr std::string_view kUnit = "bytes=";
  if (value.size() < kUnit.size() || !same_word(value.substr(0, kUnit.size()), kUnit)) return std::nullopt;
  value = trimmed(value.substr(kUnit.size()));
  const auto dash = value.find('-');
  if (dash == value.npos) return std::nullopt;
  const auto last = number_in_range(value.substr(dash + 1));
  if (dash == 0) {  // A leading dash asks for the last bytes of the file.
    if (!last) return std::nullopt;
    const auto from_end = std::min(*last, size);
    return Range{size - from_end, from_end};
  }
  const auto first = number_in_range(value.substr(0, dash));
  if (!first || (!last && dash + 1 < value.size()) || (last && *last < *first)) return std::nullopt;
  if (*first >= size) return Range{};
  return Range{*first, std::min(last.value_or(size), size - 1) - *first + 1};
}

/// Returns whether a range refers to this version of the file (section 13.1.5).
bool range_is_of(const http::Fields& fields, const Respond& file) noexcept {
  if (!http::has(fields, Known::if_range)) return true;
  const auto value = http::value_of(fields, Known::if_range);
  return value == file.etag || value == file.last_modified;
}

/// Returns the status and the part of the file that answer the conditions and the range of a GET or HEAD request (RFC
/// 9110 sections 13.2.2 and 14.2). Appends the fields of that answer to x.fields, except Content-Type. `file` has an
/// ETag and outlives the returned view.
FilePart part_of_file(Exchange& x, const Respond& file) {
  const auto& fields = x.request.fields;
  const std::string_view body = file.body;
  x.fields.push_back({Known::etag, "ETag", file.etag});
  x.fields.push_back({Known::last_modified, "Last-Modified", file.last_modified});
  x.fields.push_back({Known::accept_ranges, "Accept-Ranges", "bytes"});
  if (const auto status = status_by_conditions(fields, file); status != 200) return {status, {}};
  if (x.request.head() || !http::has(fields, Known::range) || !range_is_of(fields, file)) return {200, body};
  const auto range = read_range(http::value_of(fields, Known::range), body.size());
  if (!range) return {200, body};
  const auto size = x.text.number(body.size());
  if (range->size == 0) {
    x.fields.push_back({Known::content_range, "Content-Range", x.text.join({"bytes */", size})});
    return {416, {}};
  }
  x.fields.push_back({Known::content_range, "Content-Range",
                      x.text.join({"bytes ", x.text.number(range->first), "-",
                                   x.text.number(range->first + range->size - 1), "/", size})});
  return {206, body.substr(range->first, range->size)};
}

}  // namespace

template <AnswerFrom from>
Task<std::optional<Problem>> respond(Exchange& x, const Respond& answer, RejectionHeaders limits) {
  x.ended_by = EndedBy::respond;
  FilePart part{answer.status, answer.body};
  if (from == AnswerFrom::route && !answer.etag.empty() && (x.request.method == "GET" || x.request.head()))
    part = part_of_file(x, answer);
  if (x.route->takes(Step::settle)) note_status(x, part.status);
  if (!answer.content_type.empty() && (part.status == answer.status || part.status == 206))
    x.fields.push_back({http::Known::content_type, "Content-Type", answer.content_type});
  if (from == AnswerFrom::route && x.route->edits && x.route->edits->location)
    x.fields.push_back({http::Known::location, "Location", location_of_route(x)});
  const AnswerStart whole{.start = {.status = part.status}, .limits = limits};
  co_await send_whole<from>(x, whole, part.body);
  co_return std::nullopt;
}

template Task<std::optional<Problem>> respond<AnswerFrom::route>(Exchange&, const Respond&, RejectionHeaders);
template Task<std::optional<Problem>> respond<AnswerFrom::gateway>(Exchange&, const Respond&, RejectionHeaders);

}  // namespace headgate::gateway
