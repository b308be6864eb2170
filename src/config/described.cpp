#include "described.hpp"

#include "config/text/secret_keys.hpp"
#include "table.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/core/text.hpp"
#include "headgate/http/url.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headgate::config {
namespace {

using Form = Shape::Form;

/// Names of objects and lists that may contain credentials: API keys and signing keys, addresses of webhooks, fields
/// for servers and collectors, and conditions on requests.
constexpr std::array<std::string_view, 6> kPrivateKeys = {"keys", "webhook", "secrets", "headers", "query", "cookies"};
constexpr std::string_view kSecret = "(secret)";
/// A field counts as a credential if its name has one of these as a whole word.
constexpr std::array<std::string_view, 11> kCredentialWords = {
    "authorization", "auth",   "cookie",     "cookies",     "token",    "key",
    "apikey",        "secret", "credential", "credentials", "password",
};

template <class Words>
bool among(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Returns the form of `shape` that a value of this kind has.
const Shape& form_of(const Shape& shape, const Node& node) {
  if (shape.form != Form::either) return shape;
  for (const Shape* each : shape.forms) {
    const auto& form = form_of(*each, node);
    const bool object = form.form == Form::section || form.form == Form::map;
    if (node.kind == Kind::object ? object : node.kind == Kind::list ? form.form == Form::list : false) return form;
  }
  return shape;
}

/// Returns the default of a key as JSON. In the table, the default of a text may lack its quotes.
std::string fallback_text(const Key& key) {
  auto text = fallback_of(key);
  const bool plain = key.shape->form == Form::boolean || key.shape->form == Form::integer || text.starts_with('{') ||
                     text.starts_with('[');
  if (plain && nlohmann::json::accept(text)) return text;
  return nlohmann::json(text).dump();
}

/// Returns the text with the default removed from each ${NAME:-default}, because a default may be a secret.
std::string without_defaults(std::string_view written) {
  std::string out;
  for (std::size_t at = 0; at < written.size();) {
    const auto begin = std::min(written.find("${", at), written.size());
    const auto end = std::min(written.find('}', begin), written.size());
    const auto dash = written.find(":-", begin);
    if (begin == written.size() || dash > end) {
      out += written.substr(at, end - at);
      at = end;
      if (at < written.size()) out += written[at++];
      continue;
    }
    out += std::string(written.substr(at, dash - at)) + ":-...}";
    at = std::min(end + 1, written.size());
  }
  return out;
}

/// Returns a URL without its user and its query, because services take credentials in both. Returns any other text
/// unchanged.
std::string without_credentials(std::string_view text) {
  const auto parts = http::split_url(text);
  if (parts.scheme.empty()) return std::string(text);
  const auto query = std::min(parts.rest.find('?'), parts.rest.size());
  auto out = std::string(parts.scheme) + "://" + (parts.user ? "(secret)@" : "");
  out.append(parts.host_port).append(parts.rest.substr(0, query));
  return query == parts.rest.size() ? out : out + "?(secret)";
}

/// Returns a path for requests, without its query.
std::string without_query(std::string_view path) {
  const auto query = path.find('?');
  return std::string(path.substr(0, query)) + (query == path.npos ? "" : "?(secret)");
}

/// Returns whether the name of a field suggests a credential: "X-Api-Key" does, "X-Keyboard" does not.
bool names_credential(std::string_view field) {
  while (!field.empty()) {
    const auto end = std::min(field.find_first_of("-_"), field.size());
    const auto same = [word = field.substr(0, end)](std::string_view known) { return same_word(known, word); };
    if (std::any_of(kCredentialWords.begin(), kCredentialWords.end(), same)) return true;
    field.remove_prefix(std::min(end + 1, field.size()));
  }
  return false;
}

/// Returns whether the texts of `child`, a member of `parent`, may be credentials. A text that every caller receives is
/// no credential, unless the name of its field suggests one.
bool is_private(const Node& parent, const Node& child) {
  if (among(kSecretKeys, child.key)) return true;
  const bool fields = parent.key == "set" || parent.key == "add" || parent.key == "headers";
  if (fields && names_credential(child.key)) return true;
  if (child.kind != Kind::object && child.kind != Kind::list) return false;
  if (parent.key == "request_headers") return child.key != "remove";
  if (child.key == "headers" && (parent.key == "respond" || parent.key == "cors")) return false;
  return among(kPrivateKeys, child.key);
}

bool is_in(const Node& node, std::string_view name) { return node.parent != nullptr && node.parent->key == name; }

/// Returns whether headgate requests this path from a server.
bool is_asked_for(const Node& node) { return node.key == "path" && is_in(node, "health"); }

/// Returns whether every caller receives this URL.
bool is_told(const Node& node) { return is_in(node, "redirect"); }

class Writer {
 public:
  Described run(const Node& root) {
    object(root, &root_section(), nullptr, Fill::yes, Privacy::open);
    return {std::make_shared<const std::string>(std::move(out_)), std::move(secrets_)};
  }

 private:
  enum class Fill : bool { no, yes };
  enum class Privacy : bool { open, hidden };

  void value(const Node& node, const Shape* shape, Fill fill, Privacy privacy) {
    const Shape* form = shape != nullptr ? &form_of(*shape, node) : nullptr;
    switch (node.kind) {
      case Kind::object:
        return object(node, form != nullptr ? form->section : nullptr, form != nullptr ? form->of : nullptr, fill,
                      privacy);
      case Kind::list:
        return list(node, form != nullptr ? form->of : nullptr, fill, privacy);
      case Kind::string:
        return string(node, privacy);
      case Kind::number:
      case Kind::boolean:
        out_ += node.text;
        return;
      case Kind::null:
      case Kind::broken:
        break;
    }
    out_ += "null";
  }

  void object(const Node& node, const Section* section, const Shape* of, Fill fill, Privacy privacy) {
    out_ += '{';
    bool first = true;
    const auto name = [&](std::string_view key) {
      if (!std::exchange(first, false)) out_ += ',';
      out_ += nlohmann::json(key).dump() + ':';
    };
    for (const Node* child : node.children) {
      const Shape* shape = of;
      if (section != nullptr)
        for (const Key& key : section->keys)
          if (key.name == child->key) shape = key.shape;
      name(child->key);
      const bool hides = privacy == Privacy::hidden || is_private(node, *child);
      value(*child, shape, child->key == "routes" ? Fill::no : fill, hides ? Privacy::hidden : Privacy::open);
    }
    if (section != nullptr && fill == Fill::yes)
      for (const Key& key : section->keys)
        if (!key.fallback.empty() && find(&node, key.name) == nullptr && !among(section->one_of, key.name)) {
          name(key.name);
          out_ += fallback_text(key);
        }
    out_ += '}';
  }

  void list(const Node& node, const Shape* of, Fill fill, Privacy privacy) {
    out_ += '[';
    for (const Node* child : node.children) {
      if (child != node.children.front()) out_ += ',';
      value(*child, of, fill, privacy);
    }
    out_ += ']';
  }

  void string(const Node& node, Privacy privacy) {
    auto shown = node.replaced ? without_defaults(node.written) : node.text;
    if (is_asked_for(node))
      shown = without_query(shown);
    else if (!is_told(node))
      shown = without_credentials(shown);
    if (!node.replaced && privacy == Privacy::hidden) shown = kSecret;
    if (node.replaced || shown != node.text) secrets_[pointer(node)] = keyed_hash(node.text, 0).low;
    out_ += nlohmann::json(shown).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  std::string out_;
  std::map<std::string, std::uint64_t> secrets_;
};

}  // namespace

Described describe(const Node& root) { return Writer().run(root); }

std::string places_of(const Node& root, const Report& report) {
  std::string out = "{";
  std::vector<const Node*> open = {&root};
  for (std::size_t told = 0; !open.empty() && told < Described::kMaxPlaces;) {
    const Node* const node = open.back();
    open.pop_back();
    for (auto child = node->children.rbegin(); child != node->children.rend(); ++child) open.push_back(*child);
    if (node == &root) continue;
    if (told++ > 0) out += ',';
    const auto at = node->key.empty() ? node->span.begin : node->key_span.begin;
    out += nlohmann::json(pointer(*node)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + ':' +
           nlohmann::json(report.place(at)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return out + '}';
}

}  // namespace headgate::config
