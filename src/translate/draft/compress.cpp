#include "compress.hpp"

#include "json.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/fields.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

constexpr std::uint64_t kMaxLevel = 9;

std::vector<std::string> known_encodings(const std::vector<std::string>& named) {
  std::vector<std::string> out;
  for (const auto& each : named)
    if ((each == "br" || each == "gzip") && std::ranges::find(out, each) == out.end()) out.push_back(each);
  return out;
}

std::vector<std::string> each_once(const std::vector<std::string>& types) {
  std::vector<std::string> out;
  for (const auto& each : types)
    if (auto type = lower(each); std::ranges::find(out, type) == out.end()) out.push_back(std::move(type));
  return out;
}

/// Returns whether `check` accepts this type, such as "text/html" or a type with one "*".
bool is_type(std::string_view text) {
  const auto slash = text.find('/');
  return slash != text.npos && std::ranges::count(text, '*') <= 1 && http::is_token(text.substr(0, slash)) &&
         http::is_token(text.substr(slash + 1));
}

/// Returns those of the types that headgate supports. A remark reports the others.
std::vector<std::string> usable_types(DraftEntry& route, const std::vector<std::string>& named, const Spot& spot,
                                      const std::string& what) {
  constexpr std::size_t kMaxTypes = 100;
  std::vector<std::string> out;
  for (auto& type : each_once(named))
    if (is_type(type))
      out.push_back(std::move(type));
    else
      say(route, Matter::lost, spot, what, "\"" + type + "\" is not a media type that headgate can name");
  if (out.size() <= kMaxTypes) return out;
  out.resize(kMaxTypes);
  say(route, Matter::lost, spot, what,
      "a route names at most 100 types: those after \"" + out.back() + "\" are left out");
  return out;
}

bool names_all(const std::string& type) { return type == "*" || type == "*/*"; }

}  // namespace

void set_compress(DraftEntry& route, const DraftCompress& compress, const Spot& spot, const std::string& what) {
  const auto encodings = known_encodings(compress.encodings);
  if (encodings.empty()) return say(route, Matter::lost, spot, what, "headgate only compresses with gzip and br");
  std::vector<std::pair<std::string, std::string>> members{{"encodings", texts_of(encodings)}};
  if (std::ranges::any_of(compress.types, names_all)) {
    say(route, Matter::differs, spot, what,
        "it compresses responses of every type; headgate compresses text, JSON and similar types unless \"types\" "
        "names others");
  } else if (!compress.types.empty()) {
    const auto types = usable_types(route, compress.types, spot, what);
    if (types.empty()) return;
    members.emplace_back("types", texts_of(types));
  }
  if (compress.min_bytes) members.emplace_back("min_size", json_text(size_text(*compress.min_bytes)));
  if (compress.level)
    members.emplace_back("level", std::to_string(std::clamp<std::uint64_t>(*compress.level, 1, kMaxLevel)));
  route.set("compress", object_of(members));
}

}  // namespace headgate::translate
