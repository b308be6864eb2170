#pragma once
// Reads the files that the main file includes, and joins their parts to its tree.

#include "document.hpp"
#include "report.hpp"

#include "headgate/config/diagnostic.hpp"

#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace headgate::config {

/// Replaces placeholders, and resolves the relative paths of a file in `directory`. Adds to `watched` the files that
/// the document names, except those that another module watches itself.
void resolve_file(Document& document, const std::string& directory, Report& report, std::vector<std::string>& watched);

/// Joins the included files to one configuration. It owns the included texts and trees, and must outlive the joined
/// tree.
class Includer {
 public:
  /// `main` is the text of the main file and `path` its path, which is empty if unknown. Relative paths start at
  /// `directory`.
  Includer(std::string_view main, std::string_view path, std::string directory, Report& report);

  /// Reads all files that `root` includes, and joins them to `root`. Returns false if one of them is not JSON; then
  /// only its syntax errors should be reported.
  bool run(Node& root);

  const std::deque<IncludedFile>& files() const noexcept { return files_; }
  /// Returns what to watch for changes: the patterns and paths of "include", and the files that the included files
  /// name.
  std::vector<std::string>& watched() noexcept { return watched_; }

 private:
  static constexpr std::size_t kMaxFiles = 10'000;

  void entry(const Node& entry);
  void file(const std::string& path, const Node& entry);
  void join(Node& member);
  void join_names(Node& first, const Node& more);

  Report& report_;
  std::string directory_;
  std::string main_;  // canonical path of the main file; empty if unknown
  std::size_t left_;  // number of bytes that the files still to be read may have together
  bool complete_ = true;
  Node* root_ = nullptr;
  std::set<std::string> read_;  // canonical paths of the files that were read
  std::deque<IncludedFile> files_;
  std::deque<Document> documents_;
  std::vector<std::string> watched_;
  /// The members of each joined object, by name. The outer key is the key of that object at the top level.
  std::unordered_map<std::string, std::unordered_map<std::string_view, const Node*>> names_;
};

}  // namespace headgate::config
