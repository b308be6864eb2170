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

/// Replaces placeholders, and resolves the relative paths of a file in `directory`. Adds the files that it names to
/// `watched`, except those that are watched by whoever uses them.
void resolve_file(Document& document, const std::string& directory, Report& report, std::vector<std::string>& watched);

/// One configuration at a time. It owns the included texts and trees, and outlives the joined tree.
class Includer {
 public:
  /// `main` is the text of the main file, `path` its path ("" if unknown), `directory` where its relative paths begin.
  Includer(std::string_view main, std::string_view path, std::string directory, Report& report);

  /// Reads all files that `root` includes and joins them to it. False if one of them is not JSON: then only that is
  /// worth reporting.
  bool run(Node& root);

  const std::deque<IncludedFile>& files() const noexcept { return files_; }
  /// The patterns and the paths of "include", and what the included files name.
  std::vector<std::string>& watched() noexcept { return watched_; }

 private:
  static constexpr std::size_t kMaxFiles = 10'000;

  void entry(const Node& entry);
  void file(const std::string& path, const Node& entry);
  void join(Node& member);
  void join_names(Node& first, const Node& more);

  Report& report_;
  std::string directory_;
  std::string main_;  // its canonical path; "" if unknown
  std::size_t left_;  // bytes
  bool complete_ = true;
  Node* root_ = nullptr;
  std::set<std::string> read_;  // canonical paths
  std::deque<IncludedFile> files_;
  std::deque<Document> documents_;
  std::vector<std::string> watched_;
  /// Of each joined object, by its key at the top: where a name is.
  std::unordered_map<std::string, std::unordered_map<std::string_view, const Node*>> names_;
};

}  // namespace headgate::config
