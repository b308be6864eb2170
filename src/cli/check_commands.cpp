// Implements headgate check, schema and version, which print facts about a file or about this program.

#include "commands.hpp"
#include "config_file.hpp"

#include "headgate/config/policy_tests.hpp"

#include <algorithm>
#include <cstdio>

namespace headgate::cli {

int check(const CheckOptions& options) {
  const auto source = read_source(options.file);
  if (!source) return kBadConfiguration;
  const auto& path = source->path;
  const auto loaded = config::load(source->text, source->directory(), path, config::WithAdvice::yes);
  if (options.format == "json") {
    std::fputs(config::check_json(loaded, path).c_str(), stdout);
  } else {
    if (!loaded.diagnostics.empty())
      std::fputs(config::render_text(loaded.diagnostics, path, source->text, loaded.included).c_str(), stderr);
    if (loaded.config) std::fputs(config::meaning(*loaded.config, path).c_str(), stdout);
  }
  const bool bad = !loaded.config || (options.strict && !loaded.diagnostics.empty());
  return bad ? kBadConfiguration : kWell;
}

int schema(bool of_tests) {
  std::fputs((of_tests ? config::policy_tests_schema() : config::schema()).c_str(), stdout);
  return kWell;
}

std::string version_text() { return std::string("headgate ") + HEADGATE_VERSION; }

int version(bool json) {
  std::puts(json ? R"({"name":"headgate","version":")" HEADGATE_VERSION R"("})" : version_text().c_str());
  return kWell;
}

}  // namespace headgate::cli
