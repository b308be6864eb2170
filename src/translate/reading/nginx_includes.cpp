#include "nginx_syntax.hpp"
#include "translate/unreadable.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace headgate::translate {
namespace {

constexpr std::size_t kDeepestIncludes = 32;
constexpr std::string_view kUsualFolder = "/etc/nginx/";

/// Walks over the directives once. Keeps the list of files that contain the current directive, each included by the one
/// before.
class Includes {
 public:
  Includes(const std::string& file, SourceFiles& files, std::size_t& count)
      : folder_(std::filesystem::path(file).parent_path()), files_(files), count_(count), inside_{file} {}

  void follow(std::vector<Directive>& directives) {
    std::vector<Directive> out;
    out.reserve(directives.size());
    for (auto& each : directives) {
      if (each.name == "include" && each.words.size() == 1 && !each.has_block) {
        take_in(each, out);
        continue;
      }
      follow(each.block);
      out.push_back(std::move(each));
    }
    directives = std::move(out);
  }

 private:
  /// Returns the files that an `include` names. If the main file is in a copy of /etc/nginx, paths below /etc/nginx
  /// stand for files of the copy.
  std::vector<std::string> meant(const std::string& name) const {
    if (name.starts_with(kUsualFolder)) {
      auto copies = matching((folder_ / name.substr(kUsualFolder.size())).string());
      if (!copies.empty()) return copies;
    }
    return matching(name.starts_with('/') ? name : (folder_ / name).string());
  }

  void take_in(Directive& include, std::vector<Directive>& out) {
    const auto& name = include.words.front();
    const auto found = meant(name);
    if (found.empty()) {
      // nginx also accepts a pattern that matches no file.
      if (name.find_first_of("*?[") == std::string::npos) out.push_back(std::move(include));
      return;
    }
    for (const auto& file : found) {
      std::error_code unknown;
      if (std::filesystem::is_directory(file, unknown)) continue;
      if (std::any_of(inside_.begin(), inside_.end(),
                      [&](const auto& outer) { return std::filesystem::equivalent(outer, file, unknown); }))
        throw Unreadable(include.spot, file + " includes itself");
      if (inside_.size() > kDeepestIncludes)
        throw Unreadable(include.spot,
                         "files include each other more than " + std::to_string(kDeepestIncludes) + " deep");
      auto inner = read_nginx(files_.read(file, include.spot), file, count_);
      inside_.push_back(file);
      follow(inner);
      inside_.pop_back();
      std::move(inner.begin(), inner.end(), std::back_inserter(out));
    }
  }

  std::filesystem::path folder_;
  SourceFiles& files_;
  std::size_t& count_;
  std::vector<std::string> inside_;
};

}  // namespace

void follow_includes(std::vector<Directive>& directives, const std::string& file, SourceFiles& files,
                     std::size_t& count) {
  Includes(file, files, count).follow(directives);
}

}  // namespace headgate::translate
