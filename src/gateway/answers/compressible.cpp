#include "compressible.hpp"

#include "vary.hpp"

#include "headgate/http/accept.hpp"

#include <algorithm>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Fields;
using http::Known;

/// Fields with a digest or signature of the body, which compression would invalidate (RFC 9530, RFC 9421).
constexpr std::string_view kMadeOverBytes[] = {"Content-MD5", "Digest", "Content-Digest", "Repr-Digest",
                                               "Signature-Input"};

/// Returns whether Cache-Control has no-transform (RFC 9110 section 7.7).
bool forbids_transforms(const Fields& fields) {
  return std::ranges::any_of(fields, [](const Field& field) {
    return field.id == Known::cache_control && http::lists(field.value, "no-transform");
  });
}

bool has_no_body(unsigned status) noexcept { return status < 200 || status == 204 || status == 205 || status == 304; }

bool is_too_small(const Compression& compression, std::optional<std::uint64_t> size) noexcept {
  return size && (*size == 0 || *size < compression.min_bytes);
}

bool fits(std::string_view pattern, std::string_view type) noexcept {
  const auto star = pattern.find('*');
  if (star == pattern.npos) return same_word(pattern, type);
  const auto begin = pattern.substr(0, star), end = pattern.substr(star + 1);
  return type.size() > begin.size() + end.size() && same_word(type.substr(0, begin.size()), begin) &&
         same_word(type.substr(type.size() - end.size()), end);
}

}  // namespace

bool is_made_over_bytes(const Field& field) {
  return std::ranges::any_of(kMadeOverBytes, [&](std::string_view name) { return http::same_word(field.name, name); });
}

bool takes_type(const Compression& compression, std::string_view content_type) noexcept {
  const auto type = trimmed(content_type.substr(0, content_type.find(';')));
  return std::ranges::any_of(compression.types, [type](const std::string& pattern) { return fits(pattern, type); });
}

std::string codings_in_words(const Compression& compression) {
  std::string out;
  for (const auto coding : compression.codings) out.append(out.empty() ? "" : ", ").append(to_text(coding));
  return out;
}

std::optional<compress::Coding> coding_for_client(Exchange& x, const Compression& compression) {
  // HTTP/1.0 has no chunks, so every compressed answer would have to close its connection.
  if (x.request.version < 11 || forbids_transforms(x.request.fields)) return std::nullopt;
  const auto accepted = http::accepted(x.request.fields, Known::accept_encoding, x.text);
  if (accepted.empty()) return std::nullopt;
  std::optional<compress::Coding> best;
  // A coding is used if the client rates it at least as high as the uncompressed answer.
  unsigned most = std::max(http::coding_quality(accepted, "identity").value_or(0), 1U) - 1;
  for (const auto coding : compression.codings) {
    const auto quality = http::coding_quality(accepted, to_text(coding)).value_or(0);
    if (quality <= most) continue;
    most = quality;
    best = coding;
  }
  return best;
}

bool may_vary(const Exchange& x, const Compression& compression, unsigned status, std::optional<std::uint64_t> size) {
  if (has_no_body(status) || is_too_small(compression, size)) return false;
  std::string_view type;
  for (const auto& field : x.fields) {
    if (field.id == Known::content_encoding || is_made_over_bytes(field)) return false;
    if (field.id == Known::content_range && status != 206) return false;
    if (field.id != Known::content_type) continue;
    if (!type.empty()) return false;  // If there are two Content-Type fields, the client decides which one applies.
    type = field.value;
  }
  // gRPC compresses each message of the stream itself.
  constexpr std::string_view kGrpc = "application/grpc";
  return !same_word(type.substr(0, kGrpc.size()), kGrpc) && takes_type(compression, type) &&
         !forbids_transforms(x.fields);
}

void mark_compressed(Exchange& x, compress::Coding coding) {
  // The server's byte ranges refer to the uncompressed body, so ranges are no longer offered.
  std::erase_if(x.fields, [](const Field& field) {
    return field.id == Known::content_length || field.id == Known::accept_ranges;
  });
  // A strong tag stands for the original bytes, so it is made weak (RFC 9110 section 8.8.3.3).
  for (auto& field : x.fields)
    if (field.id == Known::etag && !field.value.starts_with("W/")) field.value = x.text.join({"W/", field.value});
  x.fields.push_back({Known::content_encoding, "Content-Encoding", to_text(coding)});
}

void mark_not_modified(Exchange& x, const Compression& compression, std::optional<std::uint64_t> size) {
  const auto stays = [](const Field& field) {
    return field.id == Known::content_encoding || is_made_over_bytes(field);
  };
  if (is_too_small(compression, size) || forbids_transforms(x.fields) || std::ranges::any_of(x.fields, stays)) return;
  const auto type = http::value_of(x.fields, Known::content_type);
  if (!type.empty() && !takes_type(compression, type)) return;
  bool may_be = !type.empty();
  for (auto& field : x.fields) {
    if (field.id != Known::etag || field.value.starts_with("W/")) continue;
    const auto weak = x.text.join({"W/", field.value});
    const auto has_it = [weak](const Field& asked) {
      return asked.id == Known::if_none_match && asked.value.find(weak) != asked.value.npos;
    };
    if (!std::ranges::any_of(x.request.fields, has_it)) continue;
    field.value = weak;
    may_be = true;
  }
  if (may_be) vary_by(x, "Accept-Encoding", x.fields);
}

}  // namespace headgate::gateway
