#include "grpc_answer.hpp"

#include "gateway/grpc/grpc_call.hpp"
#include "retry_fields.hpp"

#include "headgate/core/base64.hpp"
#include "headgate/limit/limit.hpp"

#include <algorithm>
#include <string>

namespace headgate::gateway {
namespace {

// Wire types of Protocol Buffers. A field is a tag (field number and wire type) followed by a varint, or by a length
// and bytes.
constexpr unsigned kNumber = 0;
constexpr unsigned kBytes = 2;

void append_number(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

void append_number_field(std::string& out, unsigned field, std::uint64_t value) {
  if (value == 0) return;  // The default value is not written.
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

namespace {

using observe::GrpcStatus;

/// Returns the message with percent-encoding (%XX) of the percent sign and of all bytes that are not printable ASCII,
/// as gRPC requires.
std::string_view percent_escaped(TextArena& text, std::string_view sentence) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return text.write(3 * sentence.size(), [&](TextCursor& out) {
    for (const char c : sentence) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x20 && byte < 0x7f && c != '%') {
        out.character(c);
        continue;
      }
      out.character('%');
      out.character(kDigits[byte >> 4]);
      out.character(kDigits[byte & 15]);
    }
  });
}

}  // namespace

GrpcStatus grpc_status_of(const Problem& problem) noexcept {
  switch (problem.status) {
    case 401:
      return GrpcStatus::unauthenticated;
    case 403:
      return GrpcStatus::permission_denied;
    case 404:
    case 405:
    case 501:
      return GrpcStatus::unimplemented;
    case 408:
      return GrpcStatus::deadline_exceeded;
    case 402:
    case 413:
    case 429:
      return GrpcStatus::resource_exhausted;
    case 422:
      return GrpcStatus::invalid_argument;
    case 421:
    case 502:
    case 503:
      return GrpcStatus::unavailable;
    case 504:
      return problem.ended_by == EndedBy::timeout_connect ? GrpcStatus::unavailable : GrpcStatus::deadline_exceeded;
    default:
      return GrpcStatus::internal;
  }
}

void append_grpc_status(Exchange& x, const Problem& problem, std::string_view sentence) {
  x.grpc_status = grpc_status_of(problem);
  const auto number = static_cast<unsigned>(x.grpc_status);
  auto& fields = x.fields;
  fields.push_back({http::Known::unknown, kGrpcStatus, x.text.number(number)});
  fields.push_back({http::Known::unknown, "grpc-message", percent_escaped(x.text, sentence)});
  if (problem.retry_after > 0) {
    const auto wait = static_cast<std::uint64_t>(exact_wait(x, problem).count());
    // An automatic retry would not send the ticket of the waiting room, so the caller would start again at the end of
    // the line.
    const bool again = problem.ended_by != EndedBy::waiting_room;
    fields.push_back({http::Known::unknown, kGrpcPushback, again ? x.text.number(wait) : "-1"});
    fields.push_back({http::Known::unknown, "grpc-status-details-bin", retry_info(x.text, number, sentence, wait)});
  } else if (x.grpc_status == GrpcStatus::resource_exhausted) {
    fields.push_back({http::Known::unknown, kGrpcPushback, "-1"});
  }
}

}  // namespace headgate::gateway
