// headgate check, headgate schema, headgate version: answers about a file and about this program.

#include "commands.hpp"
#include "config_file.hpp"

#include <algorithm>
#include <cstdio>

namespace headgate::cli {

int check(const CheckOptions& options) {
  const auto path = config_path(options.file);
  const auto source = read_file(path);
  if (!source) return kBadConfiguration;
  const auto loaded = config::load(*source);
  if (options.format == "json") {
    std::puts(config::render_json(loaded.diagnostics, path).c_str());
  } else {
    if (!loaded.diagnostics.empty()) std::fputs(config::render_text(loaded.diagnostics, path, *source).c_str(), stderr);
    if (loaded.config) std::fputs(config::meaning(*loaded.config, path).c_str(), stdout);
  }
  const bool bad = !loaded.config || (options.strict && !loaded.diagnostics.empty());
  return bad ? kBadConfiguration : kWell;
}

int schema() {
  std::fputs(config::schema().c_str(), stdout);
  return kWell;
}

int version(bool json) {
  std::printf(json ? "{\"name\":\"headgate\",\"version\":\"%s\"}\n" : "headgate %s\n", HEADGATE_VERSION);
  return kWell;
}

}  // namespace headgate::cli
