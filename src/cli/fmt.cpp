// Implements headgate fmt: one layout for configurations, policy tests and other JSON with comments.

#include "commands.hpp"
#include "config_file.hpp"
#include "printable.hpp"

#include "headgate/config/layout.hpp"
#include "headgate/core/replace_file.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>

namespace headgate::cli {
namespace {

constexpr const char* kStdin = "-";

std::optional<ConfigFile> source_called(const std::string& file) {
  if (file != kStdin) return read_source(file);
  ConfigFile out{.path = "stdin", .text = {std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()}};
  if (!std::cin.bad()) return out;
  std::fprintf(stderr, "headgate: cannot read stdin\n");
  return std::nullopt;
}

/// Replaces the file. Returns false after an error message.
bool replaced(const std::string& path, const std::string& text) {
  const auto lock = FileLock::take(path);
  const auto error = lock.has_error() ? lock.error() : replace_file(path, text);
  if (error) std::fprintf(stderr, "headgate: %s\n", error->c_str());
  return !error;
}

int fmt_one(const std::string& file, const FmtOptions& options) {
  const auto source = source_called(file);
  if (!source) return kBadConfiguration;
  const auto laid = config::lay_out(source->text);
  if (!laid.text) {
    std::fputs(config::render_text(laid.mistakes, source->path, source->text).c_str(), stderr);
    return kBadConfiguration;
  }
  if (!options.write && !options.check) {
    std::fwrite(laid.text->data(), 1, laid.text->size(), stdout);
    return kWell;
  }
  if (*laid.text == source->text) return kWell;
  if (options.write && !replaced(source->path, *laid.text)) return kFailed;
  std::puts(printable(source->path).c_str());
  return options.check ? kFailed : kWell;
}

}  // namespace

int fmt(const FmtOptions& options) {
  const auto files = options.files.empty() ? std::vector<std::string>{""} : options.files;
  const bool one = files.size() == 1;
  if (!one && !options.write && !options.check) {
    std::fprintf(stderr, "headgate: several files need --write or --check\n");
    return kWrongCommandLine;
  }
  if (options.write && std::find(files.begin(), files.end(), kStdin) != files.end()) {
    std::fprintf(stderr, "headgate: --write needs a file: what comes from stdin goes to stdout\n");
    return kWrongCommandLine;
  }
  int result = kWell;
  for (const auto& each : files) result = std::max(result, fmt_one(each, options));
  return result;
}

}  // namespace headgate::cli
