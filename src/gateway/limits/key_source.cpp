#include "headgate/gateway/key_source.hpp"

#include <algorithm>

namespace headgate::gateway {

const KeySource* find_key_source(std::string_view text) noexcept {
  const auto all = key_sources();
  const auto found = std::ranges::find_if(all, [text](const KeySource* source) {
    return source->name.read == nullptr ? text == source->word : text.starts_with(source->word);
  });
  return found == all.end() ? nullptr : *found;
}

std::optional<limit::Per> read_per(std::string_view text) {
  const auto* const source = find_key_source(text);
  if (source == nullptr) return std::nullopt;
  if (source->name.read == nullptr) return limit::Per{source, {}};
  auto name = source->name.read(text.substr(source->word.size()));
  if (!name) return std::nullopt;
  return limit::Per{source, std::move(*name)};
}

std::string to_text(const limit::Per& per) { return std::string(per.source->word) + per.name; }

bool always_there(const limit::Per& per) noexcept { return per.source->needs == Needs::nothing; }

}  // namespace headgate::gateway
