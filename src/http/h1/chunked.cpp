#include "headgate/http/h1/chunked.hpp"

#include "line_rules.hpp"

#include <algorithm>
#include <charconv>

namespace headgate::http::h1 {

Result<ChunkReader::Step, ParseError> ChunkReader::next(std::string_view input) {
  std::size_t done = 0;
  while (true) {
    const auto rest = input.substr(done);
    switch (state_) {
      case State::size: {
        auto step = read_size(rest);
        if (step.has_error() || step->consumed == 0) return step.has_error() ? step : Step{done, {}, false};
        done += step->consumed;
        break;
      }
      case State::data: {
        const auto take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, rest.size()));
        left_ -= take;
        if (left_ == 0) state_ = State::data_end;
        return Step{done + take, rest.substr(0, take), false};
      }
      case State::data_end:
        if (rest.size() < 2) {
          if (!rest.empty() && rest[0] != '\r') return ParseError{400, "a chunk is longer than its size"};
          return Step{done, {}, false};
        }
        if (!rest.starts_with("\r\n")) return ParseError{400, "a chunk is longer than its size"};
        done += 2;
        state_ = State::size;
        break;
      case State::trailers: {
        auto step = read_trailers(rest);
        if (step.has_value()) step->consumed += done;
        return step;
      }
      case State::ended:
        return Step{done, {}, true};
    }
  }
}

Result<ChunkReader::Step, ParseError> ChunkReader::read_size(std::string_view input) {
  const auto end = input.substr(0, kMaxChunkLine).find("\r\n");
  if (end == std::string_view::npos) {
    if (input.size() >= kMaxChunkLine) return ParseError{400, "a chunk-size line is too long"};
    const auto lf = input.find('\n');
    if (lf != std::string_view::npos) return ParseError{400, "a chunk-size line is malformed"};
    return Step{};
  }
  const auto line = input.substr(0, end);
  if (refused_lines(line)) return ParseError{400, "a chunk-size line is malformed"};
  std::uint64_t size = 0;
  const auto* stop_at = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), stop_at, size, 16);
  // 16 digits would fit in 64 bits, but no real chunk is that large.
  const bool plain = error == std::errc{} && stop - line.data() <= 15;
  const auto extension = trimmed({stop, static_cast<std::size_t>(stop_at - stop)});
  // White space is allowed only before an extension (RFC 9112 section 7.1.1, BWS).
  if (!plain || (stop != stop_at && !extension.starts_with(';')))
    return ParseError{400, "a chunk size is not a plain hexadecimal number"};
  if (size > room_) return ParseError{413, "the body is too large"};
  room_ -= size;
  // Servers ignore extensions. A body that consists mostly of them is an attack.
  extensions_ += extension.size();
  if (extensions_ > kMaxExtensions) return ParseError{400, "the chunks' extensions are too long"};
  left_ = size;
  state_ = size == 0 ? State::trailers : State::data;
  return Step{end + 2, {}, false};
}

Result<ChunkReader::Step, ParseError> ChunkReader::read_trailers(std::string_view input) {
  std::size_t used = 0;
  while (true) {
    const auto end = input.find('\n', used);
    const auto line = input.substr(used, end == std::string_view::npos ? end : end + 1 - used);
    if (trailer_bytes_.size() + line.size() > kMaxTrailers) return ParseError{431, "the trailers are too long"};
    trailer_bytes_ += line;
    used += line.size();
    if (end == std::string_view::npos) return Step{used, {}, false};
    if (!trailer_bytes_.ends_with("\r\n")) return ParseError{400, "a line ends in LF without CR"};
    if (trailer_bytes_ != "\r\n" && !trailer_bytes_.ends_with("\n\r\n")) continue;
    if (auto parsed = parse_trailers(trailer_bytes_, limits_, trailers_); parsed.has_error()) return parsed.error();
    state_ = State::ended;
    return Step{used, {}, true};
  }
}

std::string_view chunk_line(std::uint64_t bytes, char* out) noexcept {
  auto* end = std::to_chars(out, out + 18, bytes, 16).ptr;
  *end++ = '\r';
  *end++ = '\n';
  return {out, static_cast<std::size_t>(end - out)};
}

}  // namespace headgate::http::h1
