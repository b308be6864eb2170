// Fuzzes configuration files: any file is accepted or refused, never both, and every mistake has a valid place.

#include "headgate/config/diagnostic.hpp"
#include "headgate/config/load.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace headgate::fuzz {

void config_fuzz(std::string_view bytes) {
  using namespace headgate::config;
  const std::string source(bytes);
  // A device is no key file: some never end.
  if (source.find("/dev") != source.npos || source.find("/proc") != source.npos) return;
  const auto loaded = load(source);
  const bool errors = std::any_of(loaded.diagnostics.begin(), loaded.diagnostics.end(),
                                  [](const Diagnostic& each) { return each.severity == Severity::error; });
  if (errors == loaded.config.has_value()) std::abort();
  const auto lines = static_cast<std::size_t>(std::count(source.begin(), source.end(), '\n')) + 1;
  for (const auto& each : loaded.diagnostics) {
    if (each.line < 1 || each.line > lines || each.column < 1 || each.end_column < each.column) std::abort();
    if (each.code.empty() || each.message.empty()) std::abort();
  }
  if (!loaded.diagnostics.empty()) {
    if (render_text(loaded.diagnostics, "f", source).empty() || render_json(loaded.diagnostics, "f").empty())
      std::abort();
  }
  if (loaded.config && meaning(*loaded.config, "f").empty()) std::abort();
}

}  // namespace headgate::fuzz
