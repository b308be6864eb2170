#include "compress.hpp"

#include "json.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/core/text.hpp"

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

}  // namespace

void set_compress(DraftEntry& route, const DraftCompress& compress, const Spot& spot, const std::string& what) {
  const auto encodings = known_encodings(compress.encodings);
  if (encodings.empty()) return say(route, Matter::lost, spot, what, "headgate compresses by gzip and br alone");
  std::vector<std::pair<std::string, std::string>> members{{"encodings", texts_of(encodings)}};
  if (std::ranges::find(compress.types, "*") != compress.types.end())
    say(route, Matter::differs, spot, what,
        "it compresses what has any type, headgate text, JSON and the like: \"types\" names others");
  else if (!compress.types.empty())
    members.emplace_back("types", texts_of(each_once(compress.types)));
  if (compress.min_bytes) members.emplace_back("min_size", json_text(size_text(*compress.min_bytes)));
  if (compress.level)
    members.emplace_back("level", std::to_string(std::clamp<std::uint64_t>(*compress.level, 1, kMaxLevel)));
  route.set("compress", object_of(members));
}

}  // namespace headgate::translate
