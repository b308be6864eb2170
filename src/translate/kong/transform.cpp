// request-transformer and response-transformer.

#include "translate/draft/json.hpp"
#include "translate/draft/protect.hpp"
#include "translate/kong/work.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

using Members = std::vector<std::pair<std::string, std::string>>;

/// Changes of fields, as one plugin says them.
struct KongEdits {
  std::vector<std::string> remove;
  Members set;
  Members add;
};

bool is_template(std::string_view value) { return value.find("$(") != std::string_view::npos; }

/// "X-A:1", as name and value.
std::pair<std::string, std::string> pair_of(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, {}};
  return {text.substr(0, colon), std::string(trimmed(std::string_view(text).substr(colon + 1)))};
}

/// A value that nobody knows: the field is taken away, so that no server believes what a caller wrote into it.
void take_pairs(const TreeNode& list, Members& out, KongEdits& edits, DraftEntry& route) {
  for (const auto& text : list.texts()) {
    const auto [name, value] = pair_of(text);
    if (is_template(value)) {
      say(route, Matter::lost, list.spot, text, "headgate knows no templates of Kong: the field is removed");
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
        "headgate sets the field also where there was none");
  if (!config["add"]["headers"].texts().empty())
    say(route, Matter::differs, config["add"].spot, "add.headers", "headgate adds the field also where there is one");
  set_edits(key, edits, route);
  for (const auto& renamed : config["rename"]["headers"].texts())
    say(route, Matter::lost, config["rename"].spot, "rename.headers: " + renamed,
        "headgate renames no fields: write \"remove\" and \"set\" in \"" + std::string(key) + '"');
  for (const auto* section : {"remove", "replace", "add", "rename", "append"})
    for (const auto& [name, value] : config[section].members)
      if (name != "headers" && !(section == std::string_view("replace") && name == "uri") && !value.texts().empty())
        say(route, Matter::lost, value.spot, std::string(section) + '.' + name,
            name == "querystring" ? "headgate changes no queries" : "headgate changes no bodies");
}

}  // namespace

void transform_requests(const TreeNode& plugin, DraftEntry& route) {
  transform(plugin, "request_headers", route);
  const auto& config = plugin["config"];
  // Another path or method than the server is meant to get may do more than the route is for.
  if (const auto method = config.get("http_method"); !method.empty())
    close_route(route, "http_method", config["http_method"].spot, "http_method: " + method,
                "headgate changes no methods: write the \"methods\" that the server may get");
  const auto path = config["replace"].get("uri");
  if (path.empty()) return;
  if (is_template(path) || !path.starts_with('/'))
    close_route(route, "replace.uri", config["replace"].spot, "replace.uri: " + path,
                "headgate knows no templates of Kong: write \"path\" in \"rewrite\"");
  else
    route.set("rewrite", object_of({{"path", json_text(path)}}));
}

void transform_responses(const TreeNode& plugin, DraftEntry& route) { transform(plugin, "response_headers", route); }

}  // namespace headgate::translate
