#include "headgate/gateway/path_regex.hpp"

#include "headgate/http/path.hpp"

#include <re2/re2.h>

#include <utility>

namespace headgate::gateway {

struct PathRegex::Compiled {
  Compiled(const std::string& pattern, const re2::RE2::Options& options) : regex(pattern, options) {}
  re2::RE2 regex;
};

namespace {

re2::RE2::Options options_for(PathRegex::Case letters) {
  // maximum memory of the automata in bytes; RE2 discards them when they exceed it, and builds them again
  constexpr std::int64_t kMemory = std::int64_t{1} << 20U;
  re2::RE2::Options options;
  options.set_encoding(re2::RE2::Options::EncodingLatin1);  // a path has only ASCII characters
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kMemory);
  options.set_case_sensitive(letters == PathRegex::Case::matters);
  return options;
}

}  // namespace

PathRegex::PathRegex(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
PathRegex::~PathRegex() = default;

Result<std::shared_ptr<const PathRegex>, std::string> PathRegex::make(const std::string& pattern, Case letters) {
  using Made = Result<std::shared_ptr<const PathRegex>, std::string>;
  auto compiled = std::make_unique<const Compiled>(pattern, options_for(letters));
  if (!compiled->regex.ok()) return Made(boost::system::in_place_error, compiled->regex.error());
  if (compiled->regex.ProgramSize() > kLargest)
    return Made(boost::system::in_place_error, "it is too large: " + std::to_string(compiled->regex.ProgramSize()) +
                                                   " instructions, and at most " + std::to_string(kLargest) +
                                                   " are accepted");
  return Made(boost::system::in_place_value, std::shared_ptr<const PathRegex>(new PathRegex(std::move(compiled))));
}

bool PathRegex::matches(std::string_view path) const {
  thread_local std::string room;
  auto seen = path_to_match(path, room);
  std::string folded;
  if (!compiled_->regex.options().case_sensitive()) seen = folded = http::fold_case(seen);
  return re2::RE2::FullMatch(re2::StringPiece(seen.data(), seen.size()), compiled_->regex);
}

std::string_view path_to_match(std::string_view path, std::string& room) {
  if (path.find(';') != path.npos) {
    room.clear();
    bool parameters = false;
    for (const char c : path) {
      if (c == '/') parameters = false;
      if (c == ';') parameters = true;
      if (!parameters) room += c;
    }
    path = room;
  }
  if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path;
}

}  // namespace headgate::gateway
