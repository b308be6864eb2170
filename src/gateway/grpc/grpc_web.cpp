#include "grpc_web.hpp"

#include "grpc_call.hpp"

#include "headgate/core/base64.hpp"
#include "headgate/http/accept.hpp"

#include <boost/system/errc.hpp>

#include <algorithm>
#include <cctype>

namespace headgate::gateway {
namespace {

using http::Field;
using http::Known;

constexpr std::string_view kType = "application/grpc";
constexpr std::string_view kWebType = "application/grpc-web";
constexpr std::string_view kTextType = "application/grpc-web-text";

/// Returns the text after `type` in the value, such as "+proto"; nothing if the value is another type.
std::optional<std::string_view> behind(std::string_view value, std::string_view type) noexcept {
  if (!http::same_word(value.substr(0, type.size()), type)) return std::nullopt;
  const auto rest = value.substr(type.size());
  const bool ends = rest.empty() || rest.front() == '+' || rest.front() == ';' || rest.front() == ' ';
  return ends ? std::optional(rest) : std::nullopt;
}

/// Returns whether the type of the request, or Accept alone, asks for the text form.
bool wants_text(const http::RequestHead& request) noexcept {
  return behind(http::value_of(request.fields, Known::content_type), kTextType) ||
         http::names_type(request.fields, kTextType, http::Suffixed::yes);
}

bool is_of_trailers(const Field& field) noexcept {
  return http::same_word(field.name.substr(0, 5), "grpc-") && !http::same_word(field.name, "grpc-encoding") &&
         !http::same_word(field.name, "grpc-accept-encoding");
}

/// Returns a frame of trailers: a byte whose highest bit distinguishes it from a message, its length, and the trailers
/// as lines of HTTP/1.1 with names in lower case.
std::string frame_of(const http::Fields& trailers) {
  constexpr std::size_t kFramePrefix = 5;
  constexpr char kTrailers = '\x80';
  std::string out(kFramePrefix, '\0');
  for (const auto& field : trailers) {
    for (const char c : field.name) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    out.append(": ").append(field.value).append("\r\n");
  }
  const auto size = out.size() - kFramePrefix;
  out[0] = kTrailers;
  for (std::size_t i = 1; i < kFramePrefix; ++i) out[i] = static_cast<char>(size >> 8 * (kFramePrefix - 1 - i) & 0xff);
  return out;
}

}  // namespace

bool is_grpc_web(const http::RequestHead& request) noexcept {
  if (request.method != "POST") return false;
  const auto type = http::value_of(request.fields, Known::content_type);
  return behind(type, kWebType) || behind(type, kTextType);
}

GrpcWeb::GrpcWeb(Exchange& x)
    : body_(*x.body, behind(http::value_of(x.request.fields, Known::content_type), kTextType).has_value()),
      reply_(*x.reply, wants_text(x.request)) {
  auto& fields = x.request.fields;
  const auto value = http::value_of(fields, Known::content_type);
  const auto text = behind(value, kTextType);
  const auto type = x.text.join({kType, text ? *text : behind(value, kWebType).value_or("")});
  if (text && x.request.framing.kind == http::Framing::Kind::length) x.request.framing = {http::Framing::Kind::unknown};
  // All Content-Type fields are removed, because the server could read a second one.
  std::erase_if(fields, [](const Field& field) {
    return field.id == Known::content_type || http::same_word(field.name, "x-grpc-web");
  });
  fields.push_back({Known::content_type, "Content-Type", type});
  x.body = &body_;
  x.reply = &reply_;
}

// The bound applies to the bytes that the server gets: three for each four characters of the text form.
bool GrpcWeb::Body::take_at_most(std::uint64_t most) noexcept {
  constexpr std::uint64_t kMax = std::uint64_t{1} << 62;
  return from_.take_at_most(text_ && most < kMax ? most + most / 3 + 3 : most);
}

Result<std::string_view> GrpcWeb::Body::ready() { return decoded(from_.ready()); }

// Reads until a piece has decoded bytes or the body ends, because an empty piece would mean the end of the body.
Task<Result<std::string_view>> GrpcWeb::Body::read() {
  if (!text_) co_return co_await from_.read();
  while (true) {
    auto reading = from_.read();
    const auto bytes = co_await reading;
    const auto out = decoded(bytes);
    if (out.has_error() || !out->empty() || bytes->empty() || from_.ended()) co_return out;
  }
}

Result<std::string_view> GrpcWeb::Body::decoded(const Result<std::string_view>& bytes) {
  if (!text_ || bytes.has_error()) return bytes;
  bytes_.clear();
  if (!decoder_.decode(*bytes, bytes_) || (from_.ended() && !decoder_.whole()))
    return boost::system::errc::make_error_code(boost::system::errc::bad_message);
  return std::string_view(bytes_);
}

std::string_view GrpcWeb::Reply::coded(std::string_view bytes) {
  if (!text_) return bytes;
  bytes_ = base64(bytes);
  return bytes_;
}

// Sends the head. If the answer ends here, fields that usually are trailers are moved from the head to the trailers in
// the body. A page of another origin may read the whole body, but only those fields of the head that it is allowed to
// read.
Task<Result<void>> GrpcWeb::Reply::send(const http::ReplyStart& start, std::string_view first, http::EndStream last) {
  const auto rest = behind(http::value_of(*start.fields, Known::content_type), kType);
  if (!rest) return to_.send(start, first, last);
  translates_ = true;
  type_.assign(text_ ? kTextType : kWebType).append(*rest);
  fields_ = *start.fields;
  for (auto& field : fields_)
    if (field.id == Known::content_type) field.value = type_;
  start_ = start;
  start_.trailers = nullptr;  // the trailers are written as bytes
  start_.fields = &fields_;
  start_.framing = {http::Framing::Kind::unknown};
  if (last == http::EndStream::no) return to_.send(start_, coded(first), last);
  http::Fields trailers;
  std::copy_if(fields_.begin(), fields_.end(), std::back_inserter(trailers), is_of_trailers);
  std::erase_if(fields_, is_of_trailers);
  auto whole = std::string(first);
  if (!trailers.empty()) whole += frame_of(trailers);
  bytes_ = text_ ? base64(whole) : std::move(whole);
  start_.framing = {http::Framing::Kind::length, bytes_.size()};
  return to_.send(start_, bytes_, last);
}

Task<Result<void>> GrpcWeb::Reply::write(std::string_view bytes, http::EndStream last) {
  return to_.write(translates_ ? coded(bytes) : bytes, last);
}

Task<Result<void>> GrpcWeb::Reply::finish(const http::Fields& trailers) {
  if (!translates_ || trailers.empty()) return to_.finish(trailers);
  auto frame = frame_of(trailers);
  bytes_ = text_ ? base64(frame) : std::move(frame);
  return to_.write(bytes_, http::EndStream::yes);
}

}  // namespace headgate::gateway
