#include "frames.hpp"

#include <nghttp2/nghttp2.h>

#include <stdexcept>

namespace headgate::bench {
namespace {

constexpr std::size_t kFrameHead = 9;

void append_number(std::string& out, std::uint32_t number, unsigned bytes) {
  for (unsigned left = bytes; left > 0; --left) out += static_cast<char>(number >> (8 * (left - 1)));
}

std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));  // nghttp2 only reads them
}

std::string deflate(nghttp2_hd_deflater* deflater, const FieldList& fields) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : fields)
    list.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  std::string out(nghttp2_hd_deflate_bound(deflater, list.data(), list.size()), '\0');
  const auto size = nghttp2_hd_deflate_hd(deflater, bytes_of(out), out.size(), list.data(), list.size());
  if (size < 0) throw std::runtime_error("nghttp2 encodes no fields");
  out.resize(static_cast<std::size_t>(size));
  return out;
}

}  // namespace

void append_frame(std::string& out, const Frame& frame) {
  append_number(out, static_cast<std::uint32_t>(frame.payload.size()), 3);
  out += static_cast<char>(frame.type);
  out += static_cast<char>(frame.flags);
  append_number(out, static_cast<std::uint32_t>(frame.stream), 4);
  out += frame.payload;
}

void append_settings(std::string& out, const std::vector<std::pair<std::uint16_t, std::uint32_t>>& settings) {
  std::string payload;
  for (const auto& [name, value] : settings) {
    append_number(payload, name, 2);
    append_number(payload, value, 4);
  }
  append_frame(out, {FrameType::settings, 0, 0, payload});
}

void append_window_update(std::string& out, std::uint32_t bytes) {
  std::string payload;
  append_number(payload, bytes, 4);
  append_frame(out, {FrameType::window_update, 0, 0, payload});
}

std::uint32_t number_in(std::string_view payload, std::size_t at) {
  std::uint32_t out = 0;
  if (payload.size() < at + 4) return out;
  for (const char byte : payload.substr(at, 4)) out = out << 8 | static_cast<std::uint8_t>(byte);
  return out;
}

std::uint32_t setting_in(std::string_view payload, std::uint16_t name, std::uint32_t otherwise) {
  constexpr std::size_t kSetting = 6;
  for (std::size_t at = 0; at + kSetting <= payload.size(); at += kSetting) {
    const auto said = static_cast<std::uint8_t>(payload[at]) << 8 | static_cast<std::uint8_t>(payload[at + 1]);
    if (said == name) otherwise = number_in(payload, at + 2);
  }
  return otherwise;
}

void FrameReader::add(std::string_view bytes) {
  rest_.erase(0, at_);
  at_ = 0;
  rest_ += bytes;
}

bool FrameReader::next(Frame& frame) {
  const auto bytes = std::string_view(rest_).substr(at_);
  if (bytes.size() < kFrameHead) return false;
  const auto size = number_in(bytes, 0) >> 8;
  if (bytes.size() < kFrameHead + size) return false;
  frame = {static_cast<FrameType>(bytes[3]), static_cast<std::uint8_t>(bytes[4]),
           static_cast<std::int32_t>(number_in(bytes, 5)), bytes.substr(kFrameHead, size)};
  at_ += kFrameHead + size;
  return true;
}

bool FrameReader::skip(std::size_t bytes) {
  if (rest_.size() - at_ < bytes) return false;
  at_ += bytes;
  return true;
}

std::vector<FieldBlocks> blocks_of(const std::vector<FieldList>& lists, std::size_t table) {
  nghttp2_hd_deflater* deflater = nullptr;
  if (nghttp2_hd_deflate_new(&deflater, kUsualTable) != 0) throw std::runtime_error("no memory for fields");
  if (table != kUsualTable) nghttp2_hd_deflate_change_table_size(deflater, table);
  std::vector<FieldBlocks> out(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) out[i].first = deflate(deflater, lists[i]);
  for (std::size_t i = 0; i < lists.size(); ++i) out[i].later = deflate(deflater, lists[i]);
  nghttp2_hd_deflate_del(deflater);
  return out;
}

}  // namespace headgate::bench
