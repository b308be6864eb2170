// The keys that a limit can count by, and the names of tiers, claims, parameters, cookies and networks.

#include "config/text/report.hpp"
#include "formats.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/bodies/body_plan.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/http/fields.hpp"
#include "headgate/identity/jwt.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/keyring/url.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

using gateway::KeySource;

std::string_view bare(const KeySource& source) {
  const auto word = source.word;
  return source.name.read == nullptr ? word : word.substr(0, word.size() - 1);
}

// Returns the valid word that is nearest to the text. Also recognises words of other gateways, and a name after the
// wrong sign, such as "jwt:sub".
std::string near_word(std::string_view text) {
  const auto folded = lower(text);
  const auto sign = folded.find_first_of(".:");
  std::vector<std::string_view> words;
  for (const auto* source : gateway::key_sources()) {
    if (std::find(source->also.begin(), source->also.end(), folded) != source->also.end())
      return std::string(source->example);
    const bool named = source->name.read != nullptr;
    if (named && sign != std::string::npos && folded.substr(0, sign) == bare(*source))
      return std::string(source->word).append(text.substr(sign + 1));
    if (!named) words.push_back(source->word);
  }
  return nearest(text, words);
}

/// Returns whether a named part of the credential can be the size of a limit. The tier of an API key is no number.
bool tells_sizes(const KeySource& source) { return source.tier.value != nullptr && source.name.read != nullptr; }

// Returns the spelling of each source for which `has` is true. Callers store the result once, because tables keep views
// of it.
std::vector<std::string> spelled(bool (*has)(const KeySource&)) {
  std::vector<std::string> out;
  for (const auto* source : gateway::key_sources())
    if (has(*source)) out.push_back(std::string(source->word).append(source->name.placeholder));
  return out;
}

}  // namespace

Result<limit::Per, LiteralError> parse_per(std::string_view text) {
  if (auto per = gateway::read_per(text)) return std::move(*per);
  if (const auto* const source = gateway::find_key_source(text))
    return LiteralError{in_quotes(text) + " names no " + std::string(source->name.what),
                        std::string(source->name.help)};
  const auto near = near_word(text);
  return LiteralError{in_quotes(text) + " is not something that a limit can count by",
                      (near.empty() ? std::string() : "did you mean " + in_quotes(near) + "?  ") +
                          "One of: " + joined(per_words(), ", ")};
}

std::optional<LiteralError> check_per(std::string_view text) {
  const auto read = parse_per(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_tier_from(std::string_view text) {
  const auto* const source = gateway::find_key_source(text);
  if (source != nullptr && source->tier.value != nullptr) return check_per(text);
  std::vector<std::string> words;
  for (const auto word : tier_words()) words.push_back(in_quotes(word));
  return LiteralError{in_quotes(text) + " cannot name a caller's tier",
                      "write " + joined(words, " or ") + R"(, as in "jwt.plan")"};
}

std::optional<LiteralError> check_size_from(std::string_view text) {
  const auto* const source = gateway::find_key_source(text);
  if (source != nullptr && tells_sizes(*source)) return check_per(text);
  std::vector<std::string> words;
  for (const auto word : size_words()) words.push_back(in_quotes(word));
  return LiteralError{in_quotes(text) + " cannot name a limit's size",
                      "write " + joined(words, " or ") + R"(, as in "jwt.rpm")"};
}

std::optional<LiteralError> check_if_absent(std::string_view text) {
  if (text == "skip" || text == "reject") return std::nullopt;
  auto error = check_per(text);
  if (!error) return error;
  const auto near = nearest(text, std::array<std::string_view, 3>{"skip", "reject", "client_ip"});
  if (near.empty()) return LiteralError{error->message, error->help + "; or skip, or reject"};
  return LiteralError{
      in_quotes(text) + " is not valid in \"if_absent\"",
      "did you mean " + in_quotes(near) + "?  Write \"skip\", \"reject\", or a key to count by instead"};
}

std::optional<LiteralError> check_claim(std::string_view text) {
  if (identity::is_claim_name(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " names no claim", R"(write a claim's name, as in "sub")"};
}

// Checks a scope by RFC 6749 section 3.3.
std::optional<LiteralError> check_scope(std::string_view text) {
  const bool valid = !text.empty() && text.size() <= 256 && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7F && c != '"' && c != '\\';
  });
  if (valid) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a scope", text.find(' ') == std::string_view::npos
                                                               ? R"(write one as in "orders:write")"
                                                               : R"(write several as a list: ["a", "b"])"};
}

std::optional<LiteralError> check_parameter_name(std::string_view text) {
  const bool valid = !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), [](char c) {
    return c > 0x20 && c < 0x7F && std::string_view("&=#%+?;").find(c) == std::string_view::npos;
  });
  if (valid) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not the name of a query parameter",
                      R"(write the name alone, as in "api_key" for "?api_key=...")"};
}

std::optional<LiteralError> check_cookie_name(std::string_view text) {
  if (http::is_token(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a cookie's name", R"(write the name alone, as in "session")"};
}

std::optional<LiteralError> check_pointer(std::string_view text) {
  auto fault = gateway::fault_of_pointer(text);
  if (fault.empty()) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a pointer to a value in a body", std::move(fault)};
}

std::optional<LiteralError> check_network(std::string_view text) {
  const auto read = identity::parse_network(text);
  if (!read.has_error()) return std::nullopt;
  auto error = fault_and_help(read.error());
  if (error.help.empty()) error.help = R"(write it as "10.0.0.0/8" or "fd00::/8")";
  return error;
}

LiteralError fault_and_help(std::string_view sentence) {
  const auto cut = sentence.find("; ");
  if (cut == std::string_view::npos) return {std::string(sentence), {}};
  return {std::string(sentence.substr(0, cut)), std::string(sentence.substr(cut + 2))};
}

std::vector<std::string_view> per_words() {
  static const auto kWords = spelled([](const KeySource&) { return true; });
  return {kWords.begin(), kWords.end()};
}

std::vector<std::string_view> tier_words() {
  static const auto kWords = spelled([](const KeySource& source) { return source.tier.value != nullptr; });
  return {kWords.begin(), kWords.end()};
}

std::vector<std::string_view> size_words() {
  static const auto kWords = spelled(tells_sizes);
  return {kWords.begin(), kWords.end()};
}

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const auto* each : limit::algorithms()) names.push_back(each->name);
  return names;
}

bool is_url(std::string_view jwk_set) noexcept { return jwk_set.find("://") != std::string_view::npos; }

std::optional<LiteralError> check_jwk_set(std::string_view text) {
  if (!is_url(text)) return check_file_path(text);
  const auto url = keyring::parse_url(text);
  if (url.has_value()) return std::nullopt;
  auto error = fault_and_help(url.error());
  error.message = "no keys can be fetched from here: " + error.message;
  return error;
}

}  // namespace headgate::config
