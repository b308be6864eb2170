#include "source_files.hpp"

#include "translate/unreadable.hpp"

#include "headgate/core/read_file.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace headgate::translate {
namespace {

std::string size_words(std::size_t bytes) { return std::to_string(bytes >> 20U) + " MiB"; }

}  // namespace

std::string SourceFiles::read(const std::string& path, const Spot& from) {
  const auto fail = [&](const std::string& message, const std::string& help = {}) {
    throw Unreadable(from.file.empty() ? Spot{path, 0, 0} : from, message, help);
  };
  if (names_.size() >= kMaxFiles) fail("more than " + std::to_string(kMaxFiles) + " files are read already");
  const auto pipes = from.file.empty() ? Pipes::read : Pipes::refused;  // reading an included pipe could block forever
  auto file = path == "-" ? Result<InputFile, FileTrouble>(InputFile::standard_input()) : InputFile::open(path, pipes);
  if (file.has_error()) fail("cannot read " + path + ": " + file.error().text());
  std::string text;
  std::string piece(65536, '\0');
  while (true) {
    const auto count = file->read(piece.data(), piece.size());
    if (count.has_error()) fail("cannot read " + path + ": " + count.error().text());
    if (*count == 0) break;
    text.append(piece, 0, *count);
    if (text.size() > kMaxBytes) fail(path + " is larger than " + size_words(kMaxBytes));
    if (bytes_ + text.size() > kMaxInAll) fail("all files together are larger than " + size_words(kMaxInAll));
  }
  if (text.find('\0') != std::string::npos) fail(path + " is not a text file");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  bytes_ += text.size();
  names_.push_back(path);
  return text;
}

std::vector<std::string> matching(const std::string& pattern) {
  std::vector<std::string> out;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    for (std::size_t i = 0; i < found.gl_pathc && out.size() <= kMaxFiles; ++i) out.emplace_back(found.gl_pathv[i]);
  ::globfree(&found);
  return out;
}

std::vector<std::string> files_in(const std::string& folder, const std::vector<std::string>& ends) {
  std::vector<std::string> out;
  std::error_code unknown;
  for (std::filesystem::directory_iterator each(folder, unknown), end; !unknown && each != end;
       each.increment(unknown)) {
    const auto name = each->path().filename().string();
    const bool wanted = std::any_of(ends.begin(), ends.end(), [&](const auto& tail) { return name.ends_with(tail); });
    if (wanted && !name.starts_with('.') && each->is_regular_file(unknown)) out.push_back(each->path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace headgate::translate
