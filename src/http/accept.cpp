#include "headgate/http/accept.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::http {
namespace {

constexpr unsigned kWhole = 1000;

/// Parses a weight: "0.25" gives 250, with up to three digits after the point (RFC 9110 section 12.4.2).
unsigned thousandths(std::string_view text) noexcept {
  if (text.empty() || text.size() > 5 || (text.front() != '0' && text.front() != '1')) return kWhole;
  unsigned out = text.front() == '1' ? kWhole : 0;
  if (text.size() > 1 && text[1] != '.') return kWhole;
  unsigned place = kWhole / 10;
  for (const char c : text.substr(std::min<std::size_t>(text.size(), 2))) {
    if (c < '0' || c > '9') return kWhole;
    out += static_cast<unsigned>(c - '0') * place;
    place /= 10;
  }
  return std::min(out, kWhole);
}

unsigned weight_of_range(std::string_view parameters) noexcept {
  while (!parameters.empty()) {
    parameters.remove_prefix(1);  // removes the semicolon
    const auto end = std::min(parameters.find(';'), parameters.size());
    const auto one = trimmed(parameters.substr(0, end));
    if (one.size() > 1 && (one[0] == 'q' || one[0] == 'Q') && one[1] == '=') return thousandths(one.substr(2));
    parameters.remove_prefix(end);
  }
  return kWhole;
}

/// Returns how well a range matches: 3 for the type itself, 2 for "text/*", 1 for "*/*", 0 for another type.
int fit_of(std::string_view range, std::string_view type) noexcept {
  if (range == "*/*") return 1;
  if (same_word(range, type)) return 3;
  const auto slash = type.find('/');
  return range.ends_with("/*") && same_word(range.substr(0, range.size() - 1), type.substr(0, slash + 1)) ? 2 : 0;
}

bool is_type(std::string_view range, std::string_view type, Suffixed suffixed) noexcept {
  if (suffixed == Suffixed::no || range.size() <= type.size()) return same_word(range, type);
  return range[type.size()] == '+' && same_word(range.substr(0, type.size()), type);
}

/// Returns the weight, or empty if the type is not named. With suffixes several members may match, and the first one
/// with a weight above 0 counts.
std::optional<unsigned> named_quality(std::string_view accept, std::string_view type, Suffixed suffixed) noexcept {
  accept = accept.substr(0, kMaxAccept);
  std::optional<unsigned> out;
  std::string_view member;
  for (unsigned i = 0; i < kMaxAcceptRanges && next_member(accept, member); ++i) {
    const auto end = std::min(member.find(';'), member.size());
    if (!is_type(trimmed(member.substr(0, end)), type, suffixed)) continue;
    out = weight_of_range(member.substr(end));
    if (suffixed == Suffixed::no || *out > 0) break;
  }
  return out;
}

}  // namespace

std::string_view accepted(const Fields& fields, Known id, TextArena& text) {
  const auto next = [&](auto from) { return std::ranges::find(from, fields.end(), id, &Field::id); };
  auto field = next(fields.begin());
  if (field == fields.end()) return {};
  auto out = field->value.substr(0, kMaxAccept);
  while ((field = next(field + 1)) != fields.end() && out.size() < kMaxAccept)
    out = text.extend(out, {", ", field->value.substr(0, kMaxAccept)});
  return out;
}

unsigned quality_of(std::string_view accept, std::string_view type) noexcept {
  accept = accept.substr(0, kMaxAccept);
  unsigned out = 0;
  int best = 0;
  std::string_view member;
  for (unsigned i = 0; i < kMaxAcceptRanges && next_member(accept, member); ++i) {
    const auto end = std::min(member.find(';'), member.size());
    const int fit = fit_of(trimmed(member.substr(0, end)), type);
    if (fit <= best) continue;
    best = fit;
    out = weight_of_range(member.substr(end));
  }
  return out;
}

bool names_type(std::string_view accept, std::string_view type, Suffixed suffixed) noexcept {
  return named_quality(accept, type, suffixed).value_or(0) > 0;
}

bool names_type(const Fields& fields, std::string_view type, Suffixed suffixed) noexcept {
  for (const auto& field : fields) {
    if (field.id != Known::accept) continue;
    const auto quality = named_quality(field.value, type, suffixed);
    if (quality && (suffixed == Suffixed::no || *quality > 0)) return *quality > 0;
  }
  return false;
}

std::optional<unsigned> coding_quality(std::string_view accept, std::string_view coding) noexcept {
  accept = accept.substr(0, kMaxAccept);
  std::optional<unsigned> any;
  std::string_view member;
  for (unsigned i = 0; i < kMaxAcceptRanges && next_member(accept, member); ++i) {
    const auto end = std::min(member.find(';'), member.size());
    auto name = trimmed(member.substr(0, end));
    if (same_word(name, "x-gzip")) name.remove_prefix(2);
    if (same_word(name, coding)) return weight_of_range(member.substr(end));
    if (name == "*" && !any) any = weight_of_range(member.substr(end));
  }
  return any;
}

}  // namespace headgate::http
