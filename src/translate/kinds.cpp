// Recognises the product that a file belongs to.

#include "products.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

bool ends(const std::string& name, std::initializer_list<const char*> tails) {
  for (const auto* tail : tails)
    if (lower(name).ends_with(tail)) return true;
  return false;
}

/// The first word of each line.
struct FirstWords {
  bool of(std::string_view word) const {
    for (const auto each : words)
      if (each == word) return true;
    return false;
  }
  std::vector<std::string_view> words;  ///< first words of the lines that begin at the first column
  std::vector<std::string_view> all;    ///< first words of all lines, indented ones included
  bool all_of(std::string_view word) const {
    for (const auto each : all)
      if (each == word) return true;
    return false;
  }
};

FirstWords first_words(std::string_view text) {
  constexpr std::size_t kLines = 20'000;
  FirstWords out;
  for (std::size_t line = 0; line < kLines && !text.empty(); ++line) {
    auto current = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), current.size() + 1));
    const bool at_begin = !current.empty() && current.front() != ' ' && current.front() != '\t';
    current = trimmed(current);
    if (current.empty() || current.front() == '#') continue;
    const auto word = current.substr(0, current.find_first_of(" \t\r:;{="));
    if (at_begin) out.words.push_back(word);
    out.all.push_back(word);
  }
  return out;
}

std::optional<Product> yaml_product(const std::string& text, const FirstWords& first) {
  if (text.find("spring:") != std::string::npos && first.of("spring")) return Product::spring;
  if (first.of("model_list") || first.of("litellm_settings")) return Product::litellm;
  if (first.of("domain") && first.of("descriptors")) return Product::ratelimit;
  if (first.of("resilience4j") || first.of("bucket4j")) return Product::spring;
  if (first.of("apiVersion") || first.of("- apiVersion")) return Product::ingress;
  if (first.of("_format_version")) return Product::kong;
  if (first.of("http") && (first.all_of("routers") || first.all_of("services") || first.all_of("middlewares")))
    return Product::traefik;
  if (first.of("entryPoints") || (first.of("tls") && first.all_of("certificates"))) return Product::traefik;
  if (text.find("traefik.http.") != std::string::npos) return Product::traefik;
  if (first.of("services") || first.of("routes") || first.of("consumers") || first.of("plugins")) return Product::kong;
  if (text.find("spring.cloud.gateway") != std::string::npos) return Product::spring;
  return std::nullopt;
}

}  // namespace

std::optional<Product> product_in(const ReadFile& file) {
  const auto first = first_words(file.text);
  if (ends(file.name, {".yml", ".yaml", ".json"})) return yaml_product(file.text, first);
  if (ends(file.name, {".properties"})) return Product::spring;
  bool sections = false;
  for (const auto* section : {"frontend", "backend", "listen", "global", "defaults"})
    sections = sections || first.of(section);
  const bool braces = file.text.find('{') != std::string::npos && file.text.find(';') != std::string::npos;
  const bool nginx = first.all_of("server") || first.all_of("http") || first.all_of("upstream") ||
                     first.all_of("location") || first.all_of("limit_req_zone") || first.all_of("limit_conn_zone") ||
                     first.all_of("limit_req") || first.all_of("map") || first.all_of("geo") ||
                     first.all_of("proxy_pass") || first.all_of("set_real_ip_from");
  if (sections && !(braces && nginx && (first.of("http") || first.of("server") || first.of("events"))))
    return Product::haproxy;
  if (nginx && file.text.find_first_of(";{") != std::string::npos) return Product::nginx;
  if (ends(file.name, {".cfg"})) return sections ? std::optional(Product::haproxy) : std::nullopt;
  if (auto yaml = yaml_product(file.text, first)) return yaml;
  if (first.all_of("spring.cloud.gateway.routes[0].id") || file.text.find("spring.cloud.gateway.") != std::string::npos)
    return Product::spring;
  return std::nullopt;
}

}  // namespace headgate::translate
