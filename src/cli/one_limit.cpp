#include "one_limit.hpp"

#include <cstdio>

namespace headgate::cli {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string limit_member(const std::string& rate, const std::string& per) {
  auto out = "  \"limits\": { \"default\": { \"rate\": " + quoted(rate) + ", \"per\": " + quoted(per);
  // A caller without the key is counted by its address. No option can choose anything else.
  if (per != "client_ip" && per != "total") out += ", \"if_absent\": \"client_ip\"";
  return out + " } },\n";
}

void tell_mistakes(const config::Loaded& loaded) {
  for (const auto& mistake : loaded.diagnostics) {
    std::fprintf(stderr, "headgate: %s\n", mistake.message.c_str());
    if (!mistake.help.empty()) std::fprintf(stderr, "  help: %s\n", mistake.help.c_str());
  }
}

}  // namespace headgate::cli
