#include "blackbox/harness/h2_client.hpp"

#include <nghttp2/nghttp2.h>

#include <utility>

namespace headgate::test {
namespace {

constexpr std::size_t kFrameHeadSize = 9;

std::string length_of(std::size_t size) {
  if (size < 127) return std::string(1, static_cast<char>(size));
  std::string out(1, '\x7f');
  for (size -= 127; size >= 128; size /= 128) out += static_cast<char>(size % 128 + 128);
  return out + static_cast<char>(size);
}

}  // namespace

std::uint32_t H2Frame::number(std::size_t at) const {
  std::uint32_t out = 0;
  for (std::size_t i = at; i < at + 4 && i < payload.size(); ++i)
    out = out << 8 | static_cast<std::uint8_t>(payload[i]);
  return out;
}

std::string h2_number(std::uint32_t number) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift & 0xff);
  return out;
}

std::string h2_frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out = h2_number(static_cast<std::uint32_t>(payload.size())).substr(1);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  return out + h2_number(stream) + std::string(payload);
}

std::string h2_block(const H2Fields& fields) {
  std::string out;
  for (const auto& [name, value] : fields)
    out += std::string(1, '\0') + length_of(name.size()) + name + length_of(value.size()) + value;
  return out;
}

H2Fields h2_get(const std::string& path, const H2Fields& more, const std::string& method) {
  H2Fields out{{":method", method}, {":scheme", "http"}, {":path", path}, {":authority", "a.example"}};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::string h2_request(std::uint32_t stream, const H2Fields& fields, bool ends) {
  const auto block = h2_block(fields);
  constexpr std::size_t kMax = 16'384;
  const auto first = block.substr(0, kMax);
  const bool whole = block.size() <= kMax;
  std::string out = h2_frame(h2_headers, static_cast<std::uint8_t>((ends ? kEndStream : 0) | (whole ? kEndHeaders : 0)),
                             stream, first);
  for (std::size_t at = kMax; at < block.size(); at += kMax)
    out += h2_frame(h2_continuation, at + kMax >= block.size() ? kEndHeaders : 0, stream, block.substr(at, kMax));
  return out;
}

std::map<std::string, std::string> h2_fields_of(nghttp2_hd_inflater* inflater, const std::string& block) {
  std::map<std::string, std::string> fields;
  const auto* at = reinterpret_cast<const std::uint8_t*>(block.data());
  auto left = block.size();
  while (true) {
    nghttp2_nv field{};
    int flags = 0;
    const auto used = nghttp2_hd_inflate_hd2(inflater, &field, &flags, at, left, 1);
    if (used < 0) break;
    at += used;
    left -= static_cast<std::size_t>(used);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0)
      fields.emplace(std::string(reinterpret_cast<char*>(field.name), field.namelen),
                     std::string(reinterpret_cast<char*>(field.value), field.valuelen));
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) break;
  }
  nghttp2_hd_inflate_end_headers(inflater);
  return fields;
}

bool take_h2_frame(std::string& bytes, H2Frame& frame) {
  if (bytes.size() < kFrameHeadSize) return false;
  const auto byte = [&](std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); };
  const std::size_t size = static_cast<std::size_t>(byte(0)) << 16 | static_cast<std::size_t>(byte(1)) << 8 | byte(2);
  if (bytes.size() < kFrameHeadSize + size) return false;
  frame = {byte(3), byte(4), 0, bytes.substr(kFrameHeadSize, size)};
  for (std::size_t i = 5; i < kFrameHeadSize; ++i) frame.stream = frame.stream << 8 | byte(i);
  bytes.erase(0, kFrameHeadSize + size);
  return true;
}

H2Client::H2Client(std::uint16_t port, std::string_view settings) : H2Client(Socket::connect(port), settings) {}

H2Client::H2Client(Socket socket, std::string_view settings) : socket_(std::move(socket)) {
  nghttp2_hd_inflate_new(&inflater_);
  send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + h2_frame(h2_settings, 0, 0, settings));
}

H2Client::~H2Client() { nghttp2_hd_inflate_del(inflater_); }

bool H2Client::read(Milliseconds timeout) {
  while (true) {
    H2Frame frame;
    if (take_h2_frame(buffer_, frame)) {
      take(frame);
      frames.push_back(std::move(frame));
      return true;
    }
    if (socket_.receive(buffer_, timeout) != Got::bytes) return false;
  }
}

void H2Client::take(const H2Frame& frame) {
  if (frame.type == h2_goaway) {
    last_ids.push_back(frame.number());
    goaway = frame.number(4);
    return;
  }
  if (frame.stream == 0) return;
  auto& answer = answers[frame.stream];
  if (frame.type == h2_rst_stream) answer.reset = frame.number();
  if (frame.type == h2_data) answer.body += frame.payload;
  if (frame.type == h2_headers || frame.type == h2_continuation) {
    head_ += frame.payload;
    if ((frame.flags & kEndHeaders) != 0) {
      const auto fields = h2_fields_of(inflater_, head_);
      head_.clear();
      const auto found = fields.find(":status");
      const int status = found == fields.end() ? 0 : std::stoi(found->second);
      if (status >= 100 && status < 200) {
        answer.interim.push_back(status);
      } else if (status != 0) {
        answer.status = status;
        answer.fields = fields;
      } else {
        answer.trailers = fields;
      }
    }
  }
  const bool may_end = frame.type == h2_data || frame.type == h2_headers;
  if (may_end && (frame.flags & kEndStream) != 0) answer.ended = true;
}

H2Answer H2Client::answer(std::uint32_t stream, Milliseconds timeout) {
  while (!answers[stream].ended && !answers[stream].reset && read(timeout)) {
  }
  return answers[stream];
}

std::optional<H2Frame> H2Client::next(std::uint8_t type, Milliseconds timeout) {
  while (read(timeout))
    if (frames.back().type == type) return frames.back();
  return std::nullopt;
}

bool H2Client::closes(Milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (read(timeout) && std::chrono::steady_clock::now() < end) {
  }
  std::string rest;
  const auto got = socket_.receive(rest, Milliseconds(1));
  return got == Got::end || got == Got::reset;
}

}  // namespace headgate::test
