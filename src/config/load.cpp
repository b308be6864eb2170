#include "headgate/config/load.hpp"

#include "build.hpp"
#include "check.hpp"
#include "codes.hpp"
#include "parser.hpp"
#include "paths.hpp"
#include "placeholders.hpp"
#include "table.hpp"

#include "headgate/core/hash.hpp"

#include <cstdint>
#include <exception>
#include <map>
#include <string>
#include <utility>

namespace headgate::config {
namespace {

/// Everything that the value says, so that two values have the same text only if they are the same.
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

Config build_all(const Node& root, Report& report) {
  Build build{.root = root,
              .report = report,
              .config = {},
              .keys_in_file = {},
              .limit_nodes = {},
              .upstream_nodes = {},
              .route_nodes = {},
              .room_nodes = {}};
  build_process(build);
  build_admin(build);
  build_hsts(build);
  build_identity(build);
  build_redis(build);
  build_upstreams(build);
  build_shedding(build);
  build_signing(build);
  build_limits(build);
  build_webhook(build);
  check_keys(build);
  build_rooms(build);
  build_routes(build);
  check_routes(build);
  check_rooms(build);
  check_plans(build);
  check_shedding(build);
  check_https(build);
  // Without routes everything would be unused, but the missing routes are already reported.
  if (!build.route_nodes.empty()) check_unused(build);
  return std::move(build.config);
}

Loaded load_text(std::string_view source, const std::string& directory, Report& report) {
  auto parsed = parse(source, report);
  Loaded loaded;
  const Node* root = parsed.document.root;
  if (parsed.complete && root->kind == Kind::object) {
    replace_placeholders(parsed.document, directory, report);
    resolve_paths(*parsed.document.root, root_section(), directory);
    check(*root, root_section(), report);
    auto config = build_all(*root, report);
    config.fingerprints = fingerprints_of(*root);
    if (!report.has_errors()) loaded.config = std::move(config);
  } else if (parsed.complete && root->kind != Kind::broken) {
    report.error(code::kType, *root, "a configuration is an object", "begin it with '{'");
  }
  loaded.diagnostics = report.take();
  return loaded;
}

}  // namespace

Loaded load(std::string_view source, const std::string& directory) {
  // The code below throws only if memory runs out or because of a bug. A gateway that reloads must survive both.
  try {
    Report report(source);
    return load_text(source, directory, report);
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

}  // namespace headgate::config
