// Parser of Java properties: "key=value", "key: value", "#" comments, and "\" at the end of a line.

#include "translate/unreadable.hpp"
#include "tree.hpp"

#include "headgate/core/text.hpp"

#include <algorithm>

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxItems = 10'000;
constexpr std::size_t kDeepestKey = 32;

struct Step {
  std::string_view key;
  std::size_t index = 0;
  bool is_index = false;
};

/// Splits "routes[0].id" into routes, 0 and id.
std::vector<Step> steps_of(std::string_view key, const Spot& spot) {
  std::vector<Step> out;
  // Names of filter arguments may contain dots.
  constexpr std::string_view kArguments = ".args.";
  const auto arguments = key.find(kArguments);
  std::string_view last;
  if (arguments != std::string_view::npos) {
    last = key.substr(arguments + kArguments.size());
    key = key.substr(0, arguments + kArguments.size() - 1);
  }
  while (!key.empty()) {
    if (out.size() > kDeepestKey) throw Unreadable(spot, "this key has too many parts");
    if (key.front() == '[') {
      const auto end = key.find(']');
      const auto number = number_in(key.substr(1, end == std::string_view::npos ? end : end - 1));
      if (end == std::string_view::npos || number == kNoNumber || number >= kMaxItems)
        throw Unreadable(spot, "this key has no number between its brackets",
                         "as in: spring.cloud.gateway.routes[0].id=api");
      out.push_back({.key = {}, .index = number, .is_index = true});
      key.remove_prefix(end + 1);
      if (key.starts_with('.')) key.remove_prefix(1);
      continue;
    }
    const auto part = key.substr(0, key.find_first_of(".["));
    out.push_back({.key = part, .index = 0, .is_index = false});
    key.remove_prefix(part.size());
    if (key.starts_with('.')) key.remove_prefix(1);
  }
  if (!last.empty()) out.push_back({.key = last, .index = 0, .is_index = false});
  return out;
}

void put(TreeNode& root, std::string_view key, std::string value, const Spot& spot, std::size_t& count) {
  auto* at = &root;
  const auto step_in = [&](TreeNode::Kind kind) {
    if (at->kind == kind) return;
    if (at->kind != TreeNode::Kind::none)
      throw Unreadable(spot, "this key has a value and parts: " + std::string(key.substr(0, 100)));
    at->kind = kind;
    at->spot = spot;
  };
  for (const auto& step : steps_of(key, spot)) {
    if (step.is_index) {
      step_in(TreeNode::Kind::list);
      if (step.index >= at->items.size()) {
        count += step.index + 1 - at->items.size();
        if (count > kMaxNodes) throw Unreadable(spot, "this file has too many values");
        at->items.resize(step.index + 1);
      }
      at = &at->items[step.index];
    } else {
      step_in(TreeNode::Kind::map);
      auto found =
          std::find_if(at->members.begin(), at->members.end(), [&](const auto& each) { return each.key == step.key; });
      if (found == at->members.end()) {
        if (++count > kMaxNodes || at->members.size() >= kMaxItems)
          throw Unreadable(spot, "this file has too many values");
        at->members.push_back({std::string(step.key), {}});
        found = at->members.end() - 1;
      }
      at = &found->value;
    }
  }
  if (at->kind == TreeNode::Kind::list || at->kind == TreeNode::Kind::map)
    throw Unreadable(spot, "this key has a value and parts: " + std::string(key.substr(0, 100)));
  at->kind = TreeNode::Kind::text;
  at->text = std::move(value);
  at->spot = spot;
}

std::string without_escapes(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      out += next == 't' ? '\t' : next == 'n' ? '\n' : next;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

TreeNode read_properties(const std::string& text, const std::string& file, std::size_t& count) {
  TreeNode root;
  root.kind = TreeNode::Kind::map;
  root.spot = {file, 1, 1};
  std::string_view rest = text;
  std::size_t line_number = 0;
  std::string whole;
  Spot spot{file, 1, 1};
  while (!rest.empty()) {
    auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    ++line_number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = trimmed(line);
    if (whole.empty()) {
      if (line.empty() || line.front() == '#' || line.front() == '!') continue;
      spot = {file, line_number, 1};
    }
    if (line.ends_with('\\')) {
      whole += line.substr(0, line.size() - 1);
      if (!rest.empty()) continue;
    } else {
      whole += line;
    }
    std::size_t end = 0;
    while (end < whole.size() && whole[end] != '=' && whole[end] != ':' && whole[end] != ' ')
      end += whole[end] == '\\' ? 2 : 1;
    const auto key = std::string_view(whole).substr(0, end);
    auto value = trimmed(std::string_view(whole).substr(std::min(end, whole.size())));
    if (value.starts_with('=') || value.starts_with(':')) value = trimmed(value.substr(1));
    if (!key.empty()) put(root, key, without_escapes(value), spot, count);
    whole.clear();
  }
  return root;
}

}  // namespace headgate::translate
