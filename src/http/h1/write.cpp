#include "headgate/http/h1/write.hpp"

#include <boost/beast/http/status.hpp>

namespace headgate::http::h1 {
namespace {

/// Maximum number of bytes of a head in addition to method, target, reason and fields: "Transfer-Encoding: chunked" and
/// the like.
constexpr std::size_t kMaxOfTheRest = 128;

void write_framing(TextCursor& out, const Framing& framing, unsigned peer_version) noexcept {
  switch (framing.kind) {
    case Framing::Kind::none:
      return;
    case Framing::Kind::length:
      out.word("Content-Length: ");
      out.number(framing.length);
      return out.word("\r\n");
    case Framing::Kind::unknown:
      // An HTTP/1.0 peer reads until the connection closes.
      if (peer_version >= 11) out.word("Transfer-Encoding: chunked\r\n");
  }
}

std::size_t size_of(const Fields& fields) noexcept {
  std::size_t size = 0;
  for (const auto& field : fields) size += field.name.size() + field.value.size() + std::string_view(": \r\n").size();
  return size;
}

void write_fields(TextCursor& out, const Fields& fields) noexcept {
  for (const auto& field : fields) {
    out.text(field.name);
    out.word(": ");
    out.text(field.value);
    out.word("\r\n");
  }
}

/// Returns whether a request without a body sends "Content-Length: 0", because its method usually has a body (RFC 9110
/// section 8.6).
bool states_empty_body(std::string_view method) noexcept {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

/// Returns the standard reason of the status; empty if there is none.
std::string_view standard_reason(unsigned status) noexcept {
  // The two most frequent statuses need no look-up.
  if (status == 200) return "OK";
  if (status == 429) return "Too Many Requests";
  const auto reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(status));
  if (reason.starts_with('<')) return {};  // Beast returns "<unknown-status>"
  return {reason.data(), reason.size()};
}

void write_reply(TextCursor& out, const ReplyLine& line, std::string_view reason, const Fields& fields,
                 const Framing& framing) noexcept {
  out.word("HTTP/1.1 ");
  out.number(line.status);
  out.character(' ');
  out.text(reason);
  out.word("\r\n");
  write_fields(out, fields);
  if (line.bodiless) {
    // An answer to HEAD states the length that the body would have.
    if (framing.kind == Framing::Kind::length && line.status >= 200 && line.status != 204)
      write_framing(out, framing, line.client_version);
  } else {
    if (framing.kind == Framing::Kind::none) out.word("Content-Length: 0\r\n");
    write_framing(out, framing, line.client_version);
  }
  switch (line.connection) {
    case ConnectionOption::keep:
      if (line.client_version < 11) out.word("Connection: keep-alive\r\n");
      break;
    case ConnectionOption::close:
      out.word("Connection: close\r\n");
      break;
    case ConnectionOption::upgrade:
      out.word("Connection: Upgrade\r\n");
  }
  out.word("\r\n");
}

}  // namespace

std::string_view write_last_chunk(TextBuffer& room, const Fields& trailers) {
  constexpr std::size_t kEnds = 5;
  return room.write(size_of(trailers) + kEnds, [&](TextCursor& out) {
    out.word("0\r\n");
    write_fields(out, trailers);
    out.word("\r\n");
  });
}

std::string_view write_request_head(TextBuffer& room, std::string_view method, std::string_view path,
                                    std::string_view query, const Fields& fields, const Framing& framing) {
  const auto most = method.size() + path.size() + query.size() + size_of(fields) + kMaxOfTheRest;
  return room.write(most, [&](TextCursor& out) {
    out.text(method);
    out.character(' ');
    out.text(path);
    out.text(query);
    out.word(" HTTP/1.1\r\n");
    write_fields(out, fields);
    if (framing.kind == Framing::Kind::none && states_empty_body(method)) {
      out.word("Content-Length: 0\r\n");
    } else {
      write_framing(out, framing, 11);
    }
    out.word("\r\n");
  });
}

std::string_view write_reply_head(TextBuffer& room, const ReplyLine& line, const Fields& fields,
                                  const Framing& framing) {
  const auto reason = line.reason.empty() ? standard_reason(line.status) : line.reason;
  const auto most = reason.size() + size_of(fields) + kMaxOfTheRest;
  return room.write(most, [&](TextCursor& out) { write_reply(out, line, reason, fields, framing); });
}

}  // namespace headgate::http::h1
