// What a limit can count by, and the names of tiers, claims, parameters, cookies and networks.

#include "formats.hpp"
#include "report.hpp"

#include "headgate/core/text.hpp"
#include "headgate/identity/network.hpp"
#include "headgate/limit/algorithm.hpp"

#include <algorithm>
#include <array>

namespace headgate::config {
namespace {

using limit::Per;

struct Word {
  std::string_view text;
  Per::Kind kind;
};
constexpr std::array<Word, 7> kWords{{{"client_ip", Per::Kind::client_ip},
                                      {"api_key", Per::Kind::api_key},
                                      {"method", Per::Kind::method},
                                      {"route", Per::Kind::route},
                                      {"host", Per::Kind::host},
                                      {"upstream", Per::Kind::upstream},
                                      {"total", Per::Kind::total}}};
constexpr std::string_view kAll =
    "client_ip, api_key, jwt.<claim>, header:<name>, cookie:<name>, path:<parameter>, method, "
    "route, host, upstream, total";

bool is_claim(std::string_view text) {
  return !text.empty() && text.size() <= 128 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7F && c != '"' && c != '\\'; });
}

// The nearest valid word. Also knows the words of other gateways.
std::string near_word(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kOthers{{{"ip", "client_ip"},
                                                                                          {"remote_addr", "client_ip"},
                                                                                          {"address", "client_ip"},
                                                                                          {"client", "client_ip"},
                                                                                          {"key", "api_key"},
                                                                                          {"apikey", "api_key"},
                                                                                          {"user", "jwt.sub"},
                                                                                          {"sub", "jwt.sub"},
                                                                                          {"jwt", "jwt.sub"},
                                                                                          {"global", "total"},
                                                                                          {"all", "total"},
                                                                                          {"everyone", "total"}}};
  const auto folded = lower(text);
  const auto other =
      std::find_if(kOthers.begin(), kOthers.end(), [&](const auto& each) { return each.first == folded; });
  if (other != kOthers.end()) return std::string(other->second);
  if (folded.starts_with("jwt:")) return "jwt." + std::string(text.substr(4));
  if (folded.starts_with("header.")) return "header:" + std::string(text.substr(7));
  std::vector<std::string_view> words;
  words.reserve(std::size(kWords));
  for (const auto& word : kWords) words.push_back(word.text);
  return nearest(text, words);
}

}  // namespace

Result<limit::Per, LiteralError> parse_per(std::string_view text) {
  const auto word = std::find_if(kWords.begin(), kWords.end(), [&](const Word& each) { return each.text == text; });
  if (word != kWords.end()) return Per{word->kind, {}};
  if (text.starts_with("jwt.")) {
    if (is_claim(text.substr(4))) return Per{Per::Kind::jwt_claim, std::string(text.substr(4))};
    return LiteralError{in_quotes(text) + " names no claim", R"(write the claim behind the dot, as in "jwt.sub")"};
  }
  if (text.starts_with("header:")) {
    if (check_field_name(text.substr(7)) == std::nullopt) return Per{Per::Kind::header, lower(text.substr(7))};
    return LiteralError{in_quotes(text) + " names no field",
                        R"(write the field behind the colon, as in "header:X-Tenant")"};
  }
  if (text.starts_with("cookie:")) {
    if (is_token(text.substr(7))) return Per{Per::Kind::cookie, std::string(text.substr(7))};
    return LiteralError{in_quotes(text) + " names no cookie",
                        R"(write the cookie behind the colon, as in "cookie:session")"};
  }
  if (text.starts_with("path:")) {
    if (is_path_parameter(text.substr(5))) return Per{Per::Kind::path, std::string(text.substr(5))};
    return LiteralError{in_quotes(text) + " names no parameter of a path",
                        R"(write the parameter behind the colon, as in "path:account" for "/accounts/{account}")"};
  }
  const auto near = near_word(text);
  return LiteralError{
      in_quotes(text) + " is not something that a limit can count by",
      (near.empty() ? std::string() : "did you mean " + in_quotes(near) + "?  ") + "One of: " + std::string(kAll)};
}

std::optional<LiteralError> check_per(std::string_view text) {
  const auto read = parse_per(text);
  return read.has_error() ? std::optional(read.error()) : std::nullopt;
}

std::optional<LiteralError> check_tier_from(std::string_view text) {
  const auto read = parse_per(text);
  const bool valid = !read.has_error() && (read->kind == Per::Kind::jwt_claim || read->kind == Per::Kind::api_key ||
                                           read->kind == Per::Kind::header);
  if (valid) return std::nullopt;
  const bool near = read.has_error() && (text.starts_with("jwt.") || text.starts_with("header:"));
  if (near) return read.error();
  return LiteralError{in_quotes(text) + " cannot name a caller's tier",
                      R"(write "jwt.<claim>", "api_key" or "header:<name>", as in "jwt.plan")"};
}

std::optional<LiteralError> check_if_absent(std::string_view text) {
  if (text == "skip" || text == "reject") return std::nullopt;
  auto error = check_per(text);
  if (!error) return error;
  const auto near = nearest(text, std::array<std::string_view, 3>{"skip", "reject", "client_ip"});
  if (near.empty()) return LiteralError{error->message, error->help + "; or skip, or reject"};
  return LiteralError{in_quotes(text) + " is not valid in \"if_absent\"",
                      "did you mean " + in_quotes(near) + "?  Write \"skip\", \"reject\", or what to count by instead"};
}

std::optional<LiteralError> check_claim(std::string_view text) {
  if (is_claim(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " names no claim", R"(write a claim's name, as in "sub")"};
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
  if (is_token(text)) return std::nullopt;
  return LiteralError{in_quotes(text) + " is not a cookie's name", R"(write the name alone, as in "session")"};
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

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (const auto* each : limit::algorithms()) names.push_back(each->name);
  return names;
}

}  // namespace headgate::config
