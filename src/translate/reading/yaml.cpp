// Reads YAML through yaml-cpp's events, so that limits apply while a document is read. Each use of an alias counts.

#include "translate/unreadable.hpp"
#include "tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/node/node.h>  // defines the Node that parser.h only declares
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <sstream>

namespace headgate::translate {
namespace {

constexpr std::size_t kDeepestYaml = 100;
constexpr std::size_t kMaxDocuments = 10'000;

std::size_t count_of(const TreeNode& node) {
  std::size_t out = 1;
  for (const auto& item : node.items) out += count_of(item);
  for (const auto& [key, value] : node.members) out += count_of(value);
  return out;
}

/// Builds a tree from events.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& file, std::size_t& count) : file_(file), count_(count) {}

  std::vector<TreeNode> take() { return std::move(documents_); }
  std::size_t documents() const { return documents_.size(); }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override { anchors_.clear(); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { put(node(TreeNode::Kind::none, mark), anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Unreadable(spot(mark), "this alias is within what it stands for");
    count(found->second.second, spot(mark));
    put(found->second.first, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    auto out = node(TreeNode::Kind::text, mark);
    out.text = value;
    put(std::move(out), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(TreeNode::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(TreeNode::Kind::map, mark, anchor);
  }
  void OnMapEnd() override {
    merge(open_.back().node);
    close();
  }

 private:
  struct Open {
    TreeNode node;
    YAML::anchor_t anchor = 0;
    bool has_key = false;
    std::string key;
  };

  Spot spot(const YAML::Mark& mark) const {
    return {file_, static_cast<std::size_t>(mark.line) + 1, static_cast<std::size_t>(mark.column) + 1};
  }
  void count(std::size_t nodes, const Spot& at) {
    count_ += nodes;
    if (count_ > kMaxNodes)
      throw Unreadable(at, "this has more than " + std::to_string(kMaxNodes) + " values, aliases counted each time");
  }
  TreeNode node(TreeNode::Kind kind, const YAML::Mark& mark) {
    count(1, spot(mark));
    TreeNode out;
    out.kind = kind;
    out.spot = spot(mark);
    return out;
  }
  void open(TreeNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= kDeepestYaml)
      throw Unreadable(spot(mark), "values are nested more than " + std::to_string(kDeepestYaml) + " deep");
    open_.push_back({node(kind, mark), anchor, false, {}});
  }
  void close() {
    auto done = std::move(open_.back());
    open_.pop_back();
    put(std::move(done.node), done.anchor);
  }
  void put(TreeNode node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      const auto nodes = count_of(node);
      count(nodes, node.spot);  // an alias counts like a further copy of the node
      anchors_[anchor] = {node, nodes};
    }
    if (open_.empty()) {
      if (documents_.size() >= kMaxDocuments) throw Unreadable(node.spot, "there are too many documents");
      documents_.push_back(std::move(node));
      return;
    }
    auto& parent = open_.back();
    if (parent.node.kind == TreeNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.has_key) {
      if (node.kind == TreeNode::Kind::list || node.kind == TreeNode::Kind::map)
        throw Unreadable(node.spot, "a key must be a text");
      parent.key = std::move(node.text);
      parent.has_key = true;
    } else {
      parent.node.members.push_back({std::move(parent.key), std::move(node)});
      parent.has_key = false;
    }
  }
  /// Expands "<<": the members of the named maps come after the map's own.
  static void merge(TreeNode& map) {
    const auto is_merge = [](const auto& member) { return member.key == "<<"; };
    if (std::none_of(map.members.begin(), map.members.end(), is_merge)) return;
    std::vector<TreeMember> out;
    for (auto& [key, value] : map.members) {
      if (key != "<<") continue;
      for (const auto* each : value.each()) out.insert(out.end(), each->members.begin(), each->members.end());
    }
    for (auto& member : map.members)
      if (!is_merge(member)) out.push_back(std::move(member));
    map.members = std::move(out);
  }

  std::string file_;
  std::size_t& count_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, std::pair<TreeNode, std::size_t>> anchors_;
  std::vector<TreeNode> documents_;
};

}  // namespace

std::vector<TreeNode> read_yaml(const std::string& text, const std::string& file, std::size_t& count) {
  TreeBuilder builder(file, count);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& wrong) {
    throw Unreadable({file, static_cast<std::size_t>(std::max(wrong.mark.line, 0)) + 1,
                      static_cast<std::size_t>(std::max(wrong.mark.column, 0)) + 1},
                     wrong.msg);
  }
  return builder.take();
}

}  // namespace headgate::translate
