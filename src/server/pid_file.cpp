#include "pid_file.hpp"

#include "headgate/core/read_file.hpp"
#include "headgate/core/replace_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace headgate::server {
namespace {

constexpr unsigned kMode = 0644;  // readable by all users

/// Returns the beginning of the file, with more bytes than any number has; empty if it is not a readable file.
std::optional<std::string> begin_of(const std::string& path) {
  auto file = InputFile::open(path, Pipes::refused);
  if (file.has_error()) return std::nullopt;
  std::array<char, 32> bytes{};
  const auto size = file->read(bytes.data(), bytes.size());
  return size.has_value() ? std::optional(std::string(bytes.data(), *size)) : std::nullopt;
}

bool is_number(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<std::string> PidFile::write() {
  if (path_.empty()) return std::nullopt;
  std::error_code ignored;
  if (std::filesystem::exists(path_, ignored)) {
    const auto there = begin_of(path_);
    if (!there || !is_number(*there))
      return path_ + " contains something other than a process id; remove the file or choose another one";
  }
  auto text = std::to_string(::getpid()) + '\n';
  if (auto why = replace_file(path_, text, kMode)) return why;
  written_ = std::move(text);
  return std::nullopt;
}

PidFile::~PidFile() {
  if (!written_.empty() && begin_of(path_) == written_) ::unlink(path_.c_str());
}

}  // namespace headgate::server
