#include "protobuf.hpp"

#include "headgate/core/base64.hpp"

#include <string>

namespace headgate::gateway {
namespace {

// The wire format: a tag (the number of the field and how it is written), then a number of 7 bits a byte, or a length
// and bytes.
constexpr unsigned kNumber = 0;
constexpr unsigned kBytes = 2;

void append_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void append_number_field(std::string& out, unsigned field, std::uint64_t value) {
  if (value == 0) return;  // the default, which is not written
  append_number(out, field << 3 | kNumber);
  append_number(out, value);
}

void append_field(std::string& out, unsigned field, std::string_view bytes) {
  append_number(out, field << 3 | kBytes);
  append_number(out, bytes.size());
  out += bytes;
}

}  // namespace

std::string_view retry_info(TextArena& text, unsigned code, std::string_view message, std::uint64_t wait) {
  constexpr std::uint64_t kMillis = 1000;
  constexpr std::uint64_t kNanosInMillis = 1'000'000;
  std::string duration;
  append_number_field(duration, 1, wait / kMillis);
  append_number_field(duration, 2, wait % kMillis * kNanosInMillis);
  std::string info;
  append_field(info, 1, duration);
  std::string any;
  append_field(any, 1, "type.googleapis.com/google.rpc.RetryInfo");
  append_field(any, 2, info);
  std::string status;
  append_number_field(status, 1, code);
  if (!message.empty()) append_field(status, 2, message);
  append_field(status, 3, any);
  const auto out = base64(status);
  return text.join({std::string_view(out).substr(0, out.find('='))});
}

}  // namespace headgate::gateway
