#include "include.hpp"

#include "codes.hpp"
#include "config/formats/formats.hpp"
#include "config/table.hpp"
#include "config/values.hpp"
#include "paths.hpp"
#include "placeholders.hpp"

#include "headgate/config/included.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace headgate::config {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 64U << 20U;  // size of all files together, in bytes

/// Returns the same path for all spellings of the path of a file.
std::string canonical(const std::string& path) {
  std::error_code ec;
  auto out = fs::weakly_canonical(fs::absolute(path, ec), ec);
  return ec ? path : out.string();
}

/// Returns how values of this key are joined: `list` appends the elements, `object` merges the members by name, and
/// `broken` means that the key cannot be joined.
Kind joined_as(std::string_view key) {
  const auto keys = root_section().keys;
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const Key& each) { return each.name == key; });
  if (found == keys.end() || key == "include") return Kind::broken;
  if (found->shape->form == Shape::Form::list) return Kind::list;
  return found->shape->form == Shape::Form::map ? Kind::object : Kind::broken;
}

}  // namespace

bool is_pattern(std::string_view path) {
  const auto slash = path.rfind('/');
  return path.find('*', slash == std::string_view::npos ? 0 : slash) != std::string_view::npos;
}

IncludedNames files_for(const std::string& path) {
  if (!is_pattern(path)) return {{path}, {}};
  const fs::path pattern(path);
  const auto name = pattern.filename().string();
  const auto star = name.find('*');
  const auto begin = name.substr(0, star);
  const auto end = name.substr(star + 1);
  IncludedNames out;
  std::error_code ec;
  fs::directory_iterator each(pattern.has_parent_path() ? pattern.parent_path() : fs::path("."), ec);
  for (; !ec && each != fs::directory_iterator(); each.increment(ec)) {
    const auto found = each->path().filename().string();
    const bool hidden = found.starts_with('.') && !begin.starts_with('.');
    if (hidden || found.size() < begin.size() + end.size() || !found.starts_with(begin) || !found.ends_with(end))
      continue;
    std::error_code gone;
    if (each->is_directory(gone)) continue;
    out.files.push_back((pattern.parent_path() / found).string());
  }
  if (ec) out.why_not = ec.message();
  std::sort(out.files.begin(), out.files.end());
  return out;
}

void resolve_file(Document& document, const std::string& directory, Report& report, std::vector<std::string>& watched) {
  replace_placeholders(document, directory, report, watched);
  // Files of listeners and of "identity" are watched by these modules, and log files are never read.
  for (Node* member : document.root->children) {
    const bool others = member->key != "listen" && member->key != "identity" && member->key != "log";
    resolve_path(*member, root_section(), directory, others ? &watched : nullptr);
  }
}

Includer::Includer(std::string_view main, std::string_view path, std::string directory, Report& report)
    : report_(report),
      directory_(std::move(directory)),
      main_(path.empty() ? "" : canonical(std::string(path))),
      left_(kLargest - std::min(kLargest, main.size())) {}

bool Includer::run(Node& root) {
  root_ = &root;
  // The list is copied because a file may add elements to it while it is read.
  const auto entries = texts(find(&root, "include"));
  for (const Node* each : entries) entry(*each);
  return complete_;
}

void Includer::entry(const Node& entry) {
  if (check_include(entry.text)) return;  // the checker reports this error
  const auto path = resolved(entry.text, directory_);
  watched_.push_back(path);
  const auto named = files_for(path);
  if (!named.why_not.empty())
    return report_.error(code::kUnresolved, entry,
                         "the directory of " + in_quotes(entry.written) + " cannot be read: " + named.why_not,
                         "a path begins at the directory of this file");
  if (named.files.empty())
    return report_.warning(code::kNoEffect, entry, "no file matches " + in_quotes(entry.written),
                           "a path begins at the directory of this file");
  for (const auto& each : named.files) file(each, entry);
}

void Includer::file(const std::string& path, const Node& entry) {
  const auto one = canonical(path);
  if (one == main_)
    return report_.error(code::kConflict, entry, in_quotes(entry.written) + " also matches this file itself",
                         "put the included files into a directory of their own");
  if (!read_.insert(one).second) return;
  if (read_.size() > kMaxFiles) {
    if (read_.size() == kMaxFiles + 1)
      report_.error(code::kTooBig, entry, "more than " + std::to_string(kMaxFiles) + " files are included",
                    "write more of the configuration into each");
    return;
  }
  auto content = read_file(path, left_);
  if (!content.text) {
    complete_ = false;
    const bool too_large = content.why_not.starts_with("it is larger");
    return report_.error(code::kUnresolved, entry,
                         "the file " + in_quotes(path) + " cannot be read: " +
                             (too_large ? "all files of a configuration may have 64MiB together" : content.why_not));
  }
  left_ -= content.text->size();
  const auto& file = files_.emplace_back(IncludedFile{path, std::move(*content.text)});
  report_.begin_file(file.text, path);
  auto parsed = parse(file.text, report_);
  const auto begin = report_.end_file();
  for (Node& node : parsed.document.nodes) {
    node.span = {node.span.begin + begin, node.span.end + begin};
    node.key_span = {node.key_span.begin + begin, node.key_span.end + begin};
  }
  complete_ = complete_ && parsed.complete;
  if (!parsed.complete) return;
  auto& document = documents_.emplace_back(std::move(parsed.document));
  if (document.root->kind != Kind::object) {
    if (document.root->kind != Kind::broken)
      report_.error(code::kType, *document.root, "an included file is an object", R"(begin it with '{ "routes": [')");
    return;
  }
  resolve_file(document, fs::path(path).parent_path().string(), report_, watched_);
  for (Node* member : document.root->children) join(*member);
}

void Includer::join(Node& member) {
  if (member.key == "$schema") return;
  if (member.key == "include")
    return report_.error_at_key(code::kConflict, member, "an included file cannot include others",
                                "name them in the file that includes this one");
  const auto same = [&](const Node* each) { return each->key == member.key; };
  const auto found = std::find_if(root_->children.begin(), root_->children.end(), same);
  const auto kind = joined_as(member.key);
  // A value of the wrong type is not joined; the checker reports it.
  const bool wrong =
      kind != Kind::broken && (member.kind != kind || (found != root_->children.end() && (*found)->kind != kind));
  if (found == root_->children.end() || wrong) return root_->children.push_back(&member);
  Node& first = **found;
  if (kind == Kind::list) {
    first.children.insert(first.children.end(), member.children.begin(), member.children.end());
  } else if (kind == Kind::object) {
    join_names(first, member);
  } else {
    report_.error_at_key(code::kDuplicateKey, member,
                         in_quotes(member.key) + " is already written at " + report_.place(first.key_span.begin),
                         "write it in one file; lists, and objects with names of yours, may be in several");
  }
}

void Includer::join_names(Node& first, const Node& more) {
  const auto [known, fresh] = names_.try_emplace(first.key);
  auto& names = known->second;
  if (fresh)
    for (const Node* each : first.children) names.emplace(each->key, each);
  for (Node* each : more.children) {
    const auto [earlier, added] = names.emplace(each->key, each);
    if (added) {
      first.children.push_back(each);
      continue;
    }
    report_.error_at_key(
        code::kDuplicateKey, *each,
        in_quotes(each->key) + " is already written at " + report_.place(earlier->second->key_span.begin),
        "give each a name of its own");
  }
}

}  // namespace headgate::config
