// The tables of all importers, and the page that is generated from them.

#include "words.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headgate::translate {
namespace {

struct ProductTitle {
  Product product;
  std::string_view title;
  std::string_view noun;  ///< heading of the first column
};
constexpr std::array kTitles{ProductTitle{Product::nginx, "nginx", "directive"},
                             ProductTitle{Product::ingress, "ingress-nginx", "annotation"},
                             ProductTitle{Product::kong, "Kong", "plugin"},
                             ProductTitle{Product::haproxy, "HAProxy", "directive"},
                             ProductTitle{Product::spring, "Spring Cloud Gateway", "predicate or filter"},
                             ProductTitle{Product::traefik, "Traefik", "matcher or middleware"},
                             ProductTitle{Product::litellm, "LiteLLM", "setting"},
                             ProductTitle{Product::ratelimit, "Envoy's rate limit service", "setting"}};

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<') out += '\\';
    out += c;
  }
  return out;
}

/// Turns "a, b" into "`a`, `b`".
std::string in_code(std::string_view keys) {
  std::string out;
  while (!keys.empty()) {
    const auto key = keys.substr(0, keys.find(", "));
    keys.remove_prefix(std::min(keys.size(), key.size() + 2));
    out += (out.empty() ? "`" : ", `") + std::string(key) + '`';
  }
  return out;
}

/// Returns why a row has no key: headgate has none, or the importer leaves it to the user to write the key.
std::string absence(const ImportWord& known) {
  if (known.matter == Matter::differs) return "*differs*";
  if (known.matter == Matter::aside) return "*not needed*";
  const Remark remark{known.matter, {}, {}, std::string(known.why)};
  const auto out = lacking_key(remark).empty() ? "*not translated*" : "*no equivalent*";
  return known.matter == Matter::closed ? std::string(out) + ", closes its routes" : out;
}

std::string second_column(const ImportWord& known) {
  if (known.becomes.empty()) return absence(known) + ": " + cell(known.why);
  auto out = in_code(known.becomes);
  if (!known.why.empty()) out += "; otherwise " + absence(known) + ": " + cell(known.why);
  return out;
}

/// Returns the group of a row: 0 for a row with a key, up to 4 for a row that is not needed.
int rank(const ImportWord& known) {
  if (!known.becomes.empty()) return 0;
  switch (known.matter) {
    case Matter::closed:
      return 1;
    case Matter::lost:
      return 2;
    case Matter::differs:
      return 3;
    case Matter::aside:
      break;
  }
  return 4;
}

/// Returns the rows of a table. Words with the same second column share one row.
std::string table_of(std::span<const ImportWord> words) {
  std::vector<ImportWord> sorted(words.begin(), words.end());
  std::ranges::stable_sort(sorted, {}, rank);
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& each : sorted) {
    auto second = second_column(each);
    const auto name = '`' + std::string(each.name) + '`';
    const auto same = std::ranges::find(rows, second, [](const auto& row) { return row.second; });
    if (same == rows.end())
      rows.emplace_back(name, std::move(second));
    else
      same->first += ", " + name;
  }
  std::string out;
  for (const auto& [names, second] : rows) out += "| " + names + " | " + second + " |\n";
  return out;
}

}  // namespace

bool is_about(const ImportWord& known, std::string_view name) noexcept {
  if (!known.name.ends_with('*')) return known.name == name;
  return name.starts_with(known.name.substr(0, known.name.size() - 1));
}

const ImportWord* find_word(std::span<const ImportWord> words, std::string_view name) noexcept {
  const auto found = std::ranges::find_if(words, [&](const ImportWord& each) { return is_about(each, name); });
  return found == words.end() ? nullptr : &*found;
}

std::span<const ImportWord> import_words(Product product) {
  switch (product) {
    case Product::nginx:
      return nginx_words();
    case Product::ingress:
      return ingress_words();
    case Product::kong:
      return kong_words();
    case Product::haproxy:
      return haproxy_words();
    case Product::spring:
      return spring_words();
    case Product::traefik:
      return traefik_words();
    case Product::litellm:
      return litellm_words();
    case Product::ratelimit:
      return ratelimit_words();
  }
  return {};
}

std::string import_tables() {
  std::string out;
  for (const auto& each : kTitles)
    out += "\n## " + std::string(each.title) + "\n\n| " + std::string(each.noun) + " | headgate |\n|---|---|\n" +
           table_of(import_words(each.product));
  return out + '\n';
}

}  // namespace headgate::translate
