#include "headgate/config/load.hpp"

#include "build.hpp"
#include "check.hpp"
#include "config/advice/advice.hpp"
#include "config/text/codes.hpp"
#include "config/text/document.hpp"
#include "config/text/include.hpp"
#include "config/text/placeholders.hpp"
#include "config/text/report.hpp"
#include "described.hpp"
#include "table.hpp"
#include "values.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/hex.hpp"
#include "headgate/identity/sha256.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace headgate::config {
namespace {

constexpr std::size_t kLargestCandidate = std::size_t{64} << 20U;

/// Appends the whole value as a text that is the same for equal values only.
void append_all(const Node& node, std::string& text) {
  text += std::to_string(static_cast<int>(node.kind)) + ' ' + std::to_string(node.key.size()) + ' ' +
          std::to_string(node.text.size()) + ' ' + std::to_string(node.children.size()) + ' ' + node.key + node.text;
  for (const Node* child : node.children) append_all(*child, text);
}

std::map<std::string, std::uint64_t> fingerprints_of(const Node& root) {
  std::map<std::string, std::uint64_t> out;
  for (const Node* each : root.children) {
    std::string text;
    append_all(*each, text);
    out[each->key] = keyed_hash(text, 0).low;
  }
  return out;
}

/// Returns the digest of all files together. The values of placeholders are not included.
std::string sha256_of(std::string_view source, const std::deque<IncludedFile>& included) {
  std::string all(source);
  for (const auto& each : included) all += '\0' + each.path + '\0' + each.text;
  return hex(identity::sha256(all));
}

Config build_all(const Node& root, Report& report, WithAdvice with) {
  Build build{.root = root,
              .report = report,
              .config = {},
              .keys_in_file = {},
              .limit_nodes = {},
              .upstream_nodes = {},
              .route_nodes = {},
              .room_nodes = {},
              .limit_numbers = {},
              .upstream_numbers = {}};
  build_process(build);
  check_pid_file(build);
  build_listen(build);
  build_bounds(build);
  build_log(build);
  build_admin(build);
  build_hsts(build);
  build_answers(build);
  build_identity(build);
  build_logged(build);
  build_redis(build);
  build_upstreams(build);
  build.upstream_numbers = numbers_of(build.upstream_nodes);
  build_balance(build);
  build_shedding(build);
  build_retries(build);
  build_signing(build);
  build_limits(build);
  build.limit_numbers = numbers_of(build.limit_nodes);
  build_billing(build);
  build_prices(build);
  build_webhook(build);
  build_tracing(build);
  check_keys(build);
  build_rooms(build);
  build_routes(build);
  check_routes(build);
  check_edits(build);
  check_addresses(build);
  check_conditions(build);
  check_rooms(build);
  check_plans(build);
  check_content_costs(build);
  check_decisions(build);
  check_decide(build);
  check_sizes(build);
  check_balance(build);
  check_shedding(build);
  check_delivery(build);
  check_auth(build);
  check_basic(build);
  check_https(build);
  // Without routes everything would count as unused, but the missing routes are already reported.
  if (!build.route_nodes.empty()) check_unused(build);
  check_accepted_advice(build);
  if (with == WithAdvice::yes) advise(build);
  add_auth_upstreams(build);
  return std::move(build.config);
}

/// Whether the file is to become active, or is only compared with the active one.
enum class Serves : bool { no, yes };

Loaded load_text(std::string_view source, const std::string& directory, std::string_view path, Report& report,
                 WithAdvice with, Serves serves);

/// Loads the file that "candidate" names. Mistakes in it count as mistakes of the whole configuration.
void load_beside(const Node& root, Report& report, WithAdvice with, Config& config, Loaded& found) {
  const Node* const written = find(&root, "candidate");
  if (written == nullptr || written->kind != Kind::string) return;
  const auto& path = written->text;
  auto content = read_text_file(path, kLargestCandidate);
  if (!content.text)
    return report.error(code::kUnresolved, *written,
                        "the candidate " + in_quotes(path) + " cannot be read: " + content.why_not,
                        "a path begins at the directory of this file");
  Report own(*content.text, path);
  auto loaded =
      load_text(*content.text, std::filesystem::path(path).parent_path().string(), path, own, with, Serves::no);
  for (auto& diagnostic : loaded.diagnostics)
    if (diagnostic.file.empty()) diagnostic.file = path;
  found.diagnostics = std::move(loaded.diagnostics);
  found.included = std::move(loaded.included);
  found.included.push_back({path, std::move(*content.text)});
  found.watched = std::move(loaded.watched);
  if (!loaded.config) return;
  config.named_candidate = path + ' ' + loaded.config->sha256;
  config.fingerprints["candidate"] = keyed_hash(config.named_candidate, 0).low;
  config.candidate = std::make_shared<const Config>(std::move(*loaded.config));
}

Loaded load_text(std::string_view source, const std::string& directory, std::string_view path, Report& report,
                 WithAdvice with, Serves serves) {
  auto parsed = parse(source, report);
  Loaded loaded;
  Loaded beside;
  Node* root = parsed.document.root;
  Includer includer(source, path, directory, report);
  if (parsed.complete && root->kind == Kind::object) {
    resolve_file(parsed.document, directory, report, includer.watched());
    if (includer.run(*root)) {
      check(*root, root_section(), report);
      auto config = build_all(*root, report, with);
      config.fingerprints = fingerprints_of(*root);
      for (const auto& each : includer.files()) config.included.push_back(each.path);
      if (serves == Serves::yes) {
        load_beside(*root, report, with, config, beside);
      } else if (const Node* const nested = find(root, "candidate")) {
        report.error_at_key(code::kConflict, *nested, "a candidate has no candidate of its own",
                            "remove this key: only the configuration that serves names a candidate");
      }
      const bool sound = std::none_of(beside.diagnostics.begin(), beside.diagnostics.end(),
                                      [](const auto& each) { return each.severity == Severity::error; });
      if (!report.has_errors() && sound) {
        config.described = describe(*root);
        config.described.places = std::make_shared<const std::string>(places_of(*root, report));
        config.file = path;
        config.sha256 = sha256_of(source, includer.files());
        loaded.config = std::move(config);
      }
    }
  } else if (parsed.complete && root->kind != Kind::broken) {
    report.error(code::kType, *root, "a configuration is an object", "begin it with '{'");
  }
  loaded.diagnostics = report.take();
  loaded.watched = std::move(includer.watched());
  loaded.watched.insert(loaded.watched.end(), beside.watched.begin(), beside.watched.end());
  loaded.diagnostics.insert(loaded.diagnostics.end(), beside.diagnostics.begin(), beside.diagnostics.end());
  if (!loaded.diagnostics.empty()) loaded.included.assign(includer.files().begin(), includer.files().end());
  loaded.included.insert(loaded.included.end(), beside.included.begin(), beside.included.end());
  return loaded;
}

Loaded load_as(std::string_view source, const std::string& directory, std::string_view path, WithAdvice with,
               Serves serves) {
  // The code below throws only if memory runs out, or because of a bug. A gateway that reloads its configuration must
  // survive both.
  try {
    Report report(source, path);
    return load_text(source, directory, path, report, with, serves);
  } catch (const std::exception& error) {
    Loaded loaded;
    Diagnostic& diagnostic = loaded.diagnostics.emplace_back();
    diagnostic.code = code::kTooBig;
    diagnostic.line = diagnostic.column = 1;
    diagnostic.end_column = 2;
    diagnostic.message = std::string("the configuration cannot be read: ") + error.what();
    return loaded;
  }
}

}  // namespace

Loaded load(std::string_view source, const std::string& directory, std::string_view path, WithAdvice with) {
  return load_as(source, directory, path, with, Serves::yes);
}

Loaded load_candidate(std::string_view source, const std::string& directory, std::string_view path) {
  return load_as(source, directory, path, WithAdvice::no, Serves::no);
}

}  // namespace headgate::config
