#include "tree.hpp"

#include "translate/unreadable.hpp"

#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>

namespace headgate::translate {

const TreeNode& TreeNode::operator[](std::string_view key) const noexcept {
  static const TreeNode kNone;
  for (auto each = members.rbegin(); each != members.rend(); ++each)
    if (each->key == key) return each->value;
  return kNone;
}

std::string TreeNode::get(std::string_view key, std::string_view otherwise) const {
  const auto& found = (*this)[key];
  return std::string(found.is_text() ? std::string_view(found.text) : otherwise);
}

std::vector<std::string> TreeNode::texts() const {
  if (kind == Kind::text) return {text};
  std::vector<std::string> out;
  for (const auto& item : items)
    if (item.is_text()) out.push_back(item.text);
  return out;
}

std::vector<const TreeNode*> TreeNode::each() const {
  std::vector<const TreeNode*> out;
  if (kind == Kind::list)
    for (const auto& item : items) out.push_back(&item);
  else if (kind != Kind::none)
    out.push_back(this);
  return out;
}

std::uint64_t number_in(std::string_view text) noexcept {
  return whole_number<std::uint64_t>(text, 0, 1'000'000'000'000).value_or(kNoNumber);
}

bool is_true(std::string_view text) noexcept {
  return same_word(text, "true") || same_word(text, "yes") || same_word(text, "on");
}

TreeNode with_dots_as_maps(TreeNode node) {
  for (auto& item : node.items) item = with_dots_as_maps(std::move(item));
  if (!node.is_map()) return node;
  constexpr std::size_t kMaxMembers = 10'000;
  if (node.members.size() > kMaxMembers) throw Unreadable(node.spot, "this has too many keys");
  TreeNode out;
  out.kind = TreeNode::Kind::map;
  out.spot = node.spot;
  for (auto& [key, value] : node.members) {
    auto inner = with_dots_as_maps(std::move(value));
    auto* at = &out;
    std::string_view rest = key;
    // Names of filter arguments may contain dots, so they are not split.
    const bool split = rest.find('.') != std::string_view::npos && !rest.starts_with("redis-rate-limiter.");
    while (true) {
      const auto part = split ? rest.substr(0, rest.find('.')) : rest;
      auto found =
          std::find_if(at->members.begin(), at->members.end(), [&](const auto& each) { return each.key == part; });
      if (found == at->members.end()) {
        at->members.push_back({std::string(part), {}});
        found = at->members.end() - 1;
      }
      if (part.size() >= rest.size()) {
        if (inner.is_map() && found->value.is_map())
          for (auto& member : inner.members) found->value.members.push_back(std::move(member));
        else
          found->value = std::move(inner);
        break;
      }
      at = &found->value;
      if (!at->is_map())
        *at = TreeNode{.kind = TreeNode::Kind::map, .text = {}, .items = {}, .members = {}, .spot = inner.spot};
      rest.remove_prefix(part.size() + 1);
    }
  }
  return out;
}

}  // namespace headgate::translate
