#include "config_file.hpp"

#include "commands.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace headgate::cli {

std::string config_path(const std::string& given) {
  if (!given.empty()) return given;
  if (const char* named = std::getenv("HEADGATE_CONFIG"); named && *named) return named;
  std::error_code ignored;
  if (std::filesystem::exists("conf/headgate.json", ignored)) return "conf/headgate.json";
  return "/etc/headgate/headgate.json";
}

std::optional<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    std::fprintf(stderr, "headgate: %s is a directory; name the file in it\n", path.c_str());
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "headgate: cannot read %s: %s\n", path.c_str(), std::strerror(errno));
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Outcome load_file(const std::string& given) {
  const auto path = config_path(given);
  const auto source = read_file(path);
  if (!source) return {std::nullopt, kBadConfiguration};
  auto loaded = config::load(*source);
  if (!loaded.diagnostics.empty()) std::fputs(config::render_text(loaded.diagnostics, path, *source).c_str(), stderr);
  if (!loaded.config) return {std::nullopt, kBadConfiguration};
  return {std::move(loaded.config), kWell};
}

}  // namespace headgate::cli
