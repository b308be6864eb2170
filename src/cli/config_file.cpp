#include "config_file.hpp"

#include "commands.hpp"

#include "headgate/core/result.hpp"

#include <spdlog/spdlog.h>

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

namespace {

Result<std::string, std::string> text_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Result<std::string, std::string>(boost::system::in_place_error,
                                            path + " is a directory; name the file in it");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return Result<std::string, std::string>(boost::system::in_place_error,
                                            "cannot read " + path + ": " + std::strerror(errno));
  return Result<std::string, std::string>(boost::system::in_place_value, std::istreambuf_iterator<char>(file),
                                          std::istreambuf_iterator<char>());
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  auto text = text_of(path);
  if (text.has_value()) return std::move(*text);
  std::fprintf(stderr, "headgate: %s\n", text.error().c_str());
  return std::nullopt;
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

std::optional<config::Config> load_again(const std::string& given) {
  const auto path = config_path(given);
  const auto source = text_of(path);
  if (source.has_error()) {
    spdlog::error("event=config_refused {}; what was in force stays so", source.error());
    return std::nullopt;
  }
  auto loaded = config::load(*source);
  for (const auto& mistake : loaded.diagnostics) {
    const bool error = mistake.severity == config::Severity::error;
    spdlog::log(error ? spdlog::level::err : spdlog::level::warn, "event={} {}:{}:{}: {}",
                error ? "config_error" : "config_warning", path, mistake.line, mistake.column, mistake.message);
  }
  if (!loaded.config) spdlog::error("event=config_refused {} has mistakes; what was in force stays so", path);
  return std::move(loaded.config);
}

}  // namespace headgate::cli
