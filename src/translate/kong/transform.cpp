// Translates request-transformer and response-transformer.

#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// The changes of fields that one plugin makes.
struct KongEdits {
  std::vector<std::string> remove;
  Members set;
  Members add;
};

bool is_template(std::string_view value) { return value.find("$(") != std::string_view::npos; }

/// Splits "X-A:1" into name and value.
std::pair<std::string, std::string> pair_of(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, {}};
  return {text.substr(0, colon), std::string(trimmed(std::string_view(text).substr(colon + 1)))};
}

/// Reads pairs of fields and values. If the new value of a field is unknown, the field is removed, so that no server
/// trusts a value that the caller wrote.
void take_pairs(const TreeNode& list, Members& out, KongEdits& edits, DraftEntry& route) {
  for (const auto& text : list.texts()) {
    const auto [name, value] = pair_of(text);
    if (is_template(value)) {
      say(route, Matter::lost, list.spot, text, "headgate does not evaluate templates of Kong: the field is removed");
      edits.remove.push_back(name);
    } else {
      out.emplace_back(name, json_text(value));
    }
  }
}

void set_edits(const char* key, const KongEdits& edits, DraftEntry& route) {
  Members members;
  if (!edits.remove.empty()) members.emplace_back("remove", texts_of(edits.remove));
  if (!edits.set.empty()) members.emplace_back("set", object_of(edits.set));
  if (!edits.add.empty()) members.emplace_back("add", object_of(edits.add));
  if (!members.empty()) route.set(key, object_of(members));
}

void transform(const TreeNode& plugin, const char* key, DraftEntry& route) {
  const auto& config = plugin["config"];
  KongEdits edits{.remove = config["remove"]["headers"].texts(), .set = {}, .add = {}};
  take_pairs(config["replace"]["headers"], edits.set, edits, route);
  take_pairs(config["add"]["headers"], edits.add, edits, route);
  take_pairs(config["append"]["headers"], edits.add, edits, route);
  if (!edits.set.empty())
    say(route, Matter::differs, config["replace"].spot, "replace.headers",
        "headgate also sets the field where it was absent");
  if (!config["add"]["headers"].texts().empty())
    say(route, Matter::differs, config["add"].spot, "add.headers", "headgate also adds the field where it exists");
  set_edits(key, edits, route);
  for (const auto& renamed : config["rename"]["headers"].texts())
    say(route, Matter::lost, config["rename"].spot, "rename.headers: " + renamed,
        "headgate does not rename fields: write \"remove\" and \"set\" in \"" + std::string(key) + '"');
  for (const auto* section : {"remove", "replace", "add", "rename", "append"})
    for (const auto& [name, value] : config[section].members)
      if (name != "headers" && !(section == std::string_view("replace") && name == "uri") && !value.texts().empty())
        say(route, Matter::lost, value.spot, std::string(section) + '.' + name,
            name == "querystring" ? "headgate does not change queries" : "headgate does not change bodies");
}

}  // namespace

void transform_requests(const TreeNode& plugin, DraftEntry& route) {
  transform(plugin, "request_headers", route);
  const auto& config = plugin["config"];
  // With another method or path, a caller could reach more of the server than the route allows.
  if (const auto method = config.get("http_method"); !method.empty())
    close_route(route, "http_method", config["http_method"].spot, "http_method: " + method,
                "headgate does not change methods: write the \"methods\" that the server may get");
  const auto path = config["replace"].get("uri");
  if (path.empty()) return;
  if (is_template(path) || !path.starts_with('/'))
    close_route(route, "replace.uri", config["replace"].spot, "replace.uri: " + path,
                "headgate does not evaluate templates of Kong: write \"path\" in \"rewrite\"");
  else
    route.set("rewrite", object_of({{"path", json_text(path)}}));
}

void transform_responses(const TreeNode& plugin, DraftEntry& route) { transform(plugin, "response_headers", route); }

}  // namespace headgate::translate
