#include "first_look.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace headgate::access_logs {
namespace {

constexpr std::size_t kLooked = std::size_t{64} * 1024;
constexpr std::size_t kMaxLines = 40;
constexpr std::size_t kMaxBlank = std::size_t{64} << 20U;
constexpr std::size_t kMaxIndent = 256;
constexpr std::string_view kBlank = " \r\n";

/// Returns the start of the first line that is not blank; the end of the text if there is none.
std::size_t first_line_at(std::string_view text, std::size_t from) {
  const auto first = std::min(text.find_first_not_of(kBlank, from), text.size());
  const auto line = text.substr(0, first).rfind('\n') + 1;
  return first - line > kMaxIndent ? first : std::max(line, from);
}

/// Reads into `bytes` until they have enough lines that are not blank. Returns the offset at which these lines begin,
/// or an error.
Result<std::size_t, std::string> read_begin(LogInput& input, std::string& bytes, bool& whole) {
  std::size_t begin = 0;
  while (bytes.size() - begin < kLooked) {
    const auto size = bytes.size();
    bytes.resize(begin + kLooked);
    const auto got = input.read(bytes.data() + size, bytes.size() - size);
    bytes.resize(size + got);
    whole = got == 0;
    if (whole) break;
    if (size == 0 && bytes.starts_with(kByteOrderMark)) begin = kByteOrderMark.size();
    begin = first_line_at(bytes, begin);
    const bool blank = bytes.find_first_not_of(kBlank, begin) == bytes.npos;
    if (blank && bytes.size() > kMaxBlank) return std::string("its first 64 MiB are blank lines");
    // Once a pipe has given a whole line, does not wait for more.
    if (!input.regular() && !blank && bytes.find('\n', begin) != bytes.npos) break;
  }
  return begin;
}

std::vector<std::string_view> lines_of(std::string_view text, bool whole) {
  std::vector<std::string_view> out;
  while (!text.empty() && out.size() < kMaxLines) {
    const auto end = text.find('\n');
    if (end == text.npos && !whole && !out.empty()) break;
    auto line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(' ') != line.npos) out.push_back(line);
  }
  return out;
}

/// A measure of how well a format reads some lines.
struct Score {
  std::size_t lines = 0;  ///< number of lines that the format can read
  std::size_t requests = 0;
  std::size_t exact = 0;  ///< number of lines that have nothing after the last part of the format
  std::size_t told = 0;
  bool own = false;  ///< whether the format belongs to one program, and is not a general one
  std::optional<Instant> written{};
  auto key() const noexcept { return std::make_tuple(lines, requests, told, exact, own); }
};

Score score_of(const LineFormat& format, const std::vector<std::string_view>& lines, RequestBlock& block) {
  Score score{.own = !format.general};
  const auto made = LineReader::make(format, lines.front(), {});
  if (made.has_error()) return score;
  auto& reader = **made;
  MissingParts missing;
  for (std::size_t i = format.kind == LineKind::csv ? 1 : 0; i < lines.size(); ++i) {
    block.requests.clear();
    block.fields.clear();
    block.values.clear();
    std::memcpy(block.bytes.data(), lines[i].data(), lines[i].size());
    char* const begin = block.bytes.data();
    const auto outcome = reader.read(begin, begin + lines[i].size(), block, missing);
    if (outcome == LineReader::Outcome::unread) continue;
    ++score.lines;
    if (outcome == LineReader::Outcome::no_request) continue;
    ++score.requests;
    score.told += reader.told();
    if (!reader.rest()) ++score.exact;
    if (!score.written && outcome == LineReader::Outcome::request) score.written = block.requests.front().written;
  }
  return score;
}

}  // namespace

Result<FirstLook, std::string> look_at(LogInput& input, const LineFormat* chosen,
                                       const std::vector<std::string>& values) {
  FirstLook out;
  bool whole = false;
  const auto begin = read_begin(input, out.bytes, whole);
  if (begin.has_error()) return begin.error();
  const auto text = std::string_view(out.bytes).substr(*begin);
  if (!input.failure().empty() && out.bytes.empty()) return input.failure();
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    return std::string("it is written in UTF-16: convert it first, as in iconv -f UTF-16 -t UTF-8");
  const auto lines = lines_of(text, whole);
  if (lines.empty()) {
    out.format = chosen;
    return out;
  }
  out.first_line = lines.front();
  const auto block = std::make_unique<RequestBlock>();
  if (chosen != nullptr) {
    const auto made = LineReader::make(*chosen, out.first_line, values);
    if (made.has_error()) return made.error();
    out.format = chosen;
    out.written = score_of(*chosen, lines, *block).written;
    return out;
  }
  Score best;
  for (const auto* const format : formats()) {
    const auto score = score_of(*format, lines, *block);
    if (score.requests == 0 && score.lines < lines.size()) continue;
    if (score.lines == 0 || (out.format != nullptr && score.key() <= best.key())) continue;
    best = score;
    out.format = format;
  }
  if (out.format == nullptr)
    return std::string(
        "none of the known formats reads its first lines: describe them with --format '$remote_addr … [$time_local] "
        "\"$request\" $status'");
  out.written = best.written;
  return out;
}

}  // namespace headgate::access_logs
