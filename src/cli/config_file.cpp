#include "config_file.hpp"

#include "commands.hpp"

#include "headgate/core/read_file.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

namespace headgate::cli {

namespace {

constexpr std::size_t kLongestFile = 64UL * 1024 * 1024;
constexpr const char* kVariable = "HEADGATE_CONFIG";
constexpr std::array<const char*, 2> kPlaces{"conf/headgate.json", "/etc/headgate/headgate.json"};

/// A file, or the reason why there is none.
using Found = Result<ConfigFile, std::string>;

Found no(std::string why) { return Found(boost::system::in_place_error, std::move(why)); }

Found read(const std::string& path, Pipes pipes, const std::string& named_by = {}) {
  auto text = headgate::read_file(path, kLongestFile, pipes);
  if (text.has_value()) return ConfigFile{path, std::move(*text)};
  const auto& trouble = text.error();
  if (trouble.kind == FileTrouble::Kind::directory) return no(path + " is a directory; name the file in it");
  if (trouble.kind == FileTrouble::Kind::too_large) return no(path + " has more than 64 MiB");
  return no("cannot read " + path + named_by + ": " + trouble.text());
}

Found find_and_read(const std::string& given, Pipes pipes) {
  if (!given.empty()) return read(given, pipes);
  if (const char* named = std::getenv(kVariable); named && *named)
    return read(named, pipes, std::string(", which $") + kVariable + " names");
  for (const char* place : kPlaces) {
    std::error_code ignored;
    if (std::filesystem::exists(place, ignored)) return read(place, pipes);
  }
  return no(std::string("there is no configuration: $") + kVariable + " is not set, and neither " + kPlaces[0] +
            " nor " + kPlaces[1] + " is there; name a file with -c FILE");
}

std::vector<std::string> watched_of(const ConfigFile& source, const config::Loaded& loaded) {
  std::vector<std::string> out{source.path};
  out.insert(out.end(), loaded.watched.begin(), loaded.watched.end());
  return out;
}

std::optional<ConfigFile> complain_if_missing(Found found) {
  if (found.has_value()) return std::move(*found);
  std::fprintf(stderr, "headgate: %s\n", found.error().c_str());
  return std::nullopt;
}

}  // namespace

std::string ConfigFile::directory() const { return std::filesystem::path(path).parent_path().string(); }

std::optional<std::string> read_file(const std::string& path) {
  auto found = complain_if_missing(read(path, Pipes::read));
  if (!found) return std::nullopt;
  return std::move(found->text);
}

Result<std::string, std::string> read_whole(const std::string& path) {
  auto found = read(path, Pipes::read);
  if (found.has_error()) return Result<std::string, std::string>(boost::system::in_place_error, found.error());
  return Result<std::string, std::string>(boost::system::in_place_value, std::move(found->text));
}

std::optional<ConfigFile> read_source(const std::string& given) {
  return complain_if_missing(find_and_read(given, Pipes::read));
}

LoadedFile load_file(const std::string& given) {
  const auto source = read_source(given);
  if (!source) return {std::nullopt, kBadConfiguration};
  auto loaded = config::load(source->text, source->directory(), source->path);
  if (!loaded.diagnostics.empty())
    std::fputs(config::render_text(loaded.diagnostics, source->path, source->text, loaded.included).c_str(), stderr);
  if (!loaded.config) return {std::nullopt, kBadConfiguration};
  return {std::move(loaded.config), kWell, watched_of(*source, loaded)};
}

config::ReadConfig load_again(const std::string& given) {
  config::ReadConfig out;
  auto source = find_and_read(given, Pipes::refused);  // refuses a pipe, which has already been read to its end
  if (source.has_error()) {
    out.file = given;
    out.mistakes.emplace_back().message = source.error();
    return out;
  }
  auto loaded = config::load(source->text, source->directory(), source->path);
  out.watched = watched_of(*source, loaded);
  out.file = source->path;
  out.config = std::move(loaded.config);
  out.mistakes = std::move(loaded.diagnostics);
  return out;
}

}  // namespace headgate::cli
