#include "tested_file.hpp"

#include "cli/config_file.hpp"
#include "cli/explain/explain_text.hpp"

#include "headgate/admin/explain_json.hpp"
#include "headgate/config/load.hpp"
#include "headgate/core/time.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace headgate::cli {
namespace {

/// Returns the listener for steps that name none. It has TLS only if all listeners of the configuration have TLS.
policy_test::TestListener listener_of(const config::Config& config) {
  policy_test::TestListener out;
  out.https_port = admin::https_port_of(config);
  out.over_tls = std::ranges::all_of(config.listen, [](const auto& each) { return each.tls.has_value(); });
  return out;
}

std::string why_text(const policy_test::StepExplanation& asked) {
  std::string out = asked.times == 1 ? "right before it:\n"
                                     : "right before the last of these " + std::to_string(asked.times) + " requests:\n";
  return out + explain_text(admin::to_json(asked.told, asked.candidates), false);
}

/// Loads the tests and their configuration. Returns false after it has reported the errors.
bool load(TestedFile& out, std::optional<config::Config>& config) {
  const auto directory = std::filesystem::path(out.path).parent_path().string();
  auto loaded = config::load_policy_tests(out.text, directory);
  if (!loaded.file) {
    out.wrong = config::render_text(loaded.diagnostics, out.path, out.text);
    return false;
  }
  out.file = std::move(*loaded.file);
  auto source = read_whole(out.file.config.value);
  if (source.has_error()) {
    out.wrong = config::render_text({config::wrong_config(out.file, source.error())}, out.path, out.text);
    return false;
  }
  auto read =
      config::load(*source, std::filesystem::path(out.file.config.value).parent_path().string(), out.file.config.value);
  config = std::move(read.config);
  if (!config) out.wrong = config::render_text(read.diagnostics, out.file.config.value, *source, read.included);
  return config.has_value();
}

}  // namespace

std::size_t TestedFile::failed() const noexcept {
  return static_cast<std::size_t>(std::ranges::count_if(ran, [](const Ran& each) { return !each.passed(); }));
}

TestedFile run_file(const std::string& path, const std::string& filter) {
  TestedFile out;
  out.path = path;
  auto text = read_whole(path);
  if (text.has_error()) {
    out.wrong = "headgate: " + text.error() + '\n';
    return out;
  }
  out.text = std::move(*text);
  std::optional<config::Config> config;
  if (!load(out, config)) return out;
  const auto offline = offline::OfflineConfig::make(*config);
  if (offline.has_error()) {
    out.wrong = config::render_text({config::wrong_config(out.file, offline.error())}, path, out.text);
    return out;
  }
  const auto unknown = config::check_names(out.file, *config, offline->keys().api_keys().records());
  if (!unknown.empty()) {
    out.wrong = config::render_text(unknown, path, out.text);
    return out;
  }
  const auto listener = listener_of(*config);
  policy_test::Budget budget;
  for (const auto& test : out.file.tests) {
    if (test.name.value.find(filter) == std::string::npos) continue;
    const auto begun = SteadyClock::now();
    auto result = policy_test::run_test(test, *offline, listener, budget);
    out.ran.push_back({.test = &test, .result = std::move(result), .took = SteadyClock::now() - begun});
  }
  return out;
}

std::vector<config::Diagnostic> mistakes_of(const TestedFile::Ran& ran) {
  std::vector<config::Diagnostic> out;
  for (const auto& each : ran.result.differences) {
    auto& mistake = out.emplace_back();
    mistake.line = each.place.line;
    mistake.column = each.place.column;
    mistake.end_column = each.place.end_column;
    mistake.pointer = each.place.pointer;
    mistake.message = each.message;
    mistake.help = each.help;
  }
  if (ran.result.why && !out.empty()) out.front().why = why_text(*ran.result.why);
  return out;
}

}  // namespace headgate::cli
