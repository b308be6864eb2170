#include "headgate/http/h1/write.hpp"

#include <boost/beast/http/status.hpp>

#include <charconv>

namespace headgate::http::h1 {
namespace {

void append_number(std::string& out, std::uint64_t number) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

void append_framing(std::string& out, const Framing& framing, unsigned peer_version) {
  switch (framing.kind) {
    case Framing::Kind::none:
      return;
    case Framing::Kind::length:
      out += "Content-Length: ";
      append_number(out, framing.length);
      out += "\r\n";
      return;
    case Framing::Kind::chunked:
    case Framing::Kind::until_close:
      // An HTTP/1.0 peer reads to the end of the connection instead.
      if (peer_version >= 11) out += "Transfer-Encoding: chunked\r\n";
  }
}

/// Methods whose requests are expected to have a body say so when they have none (RFC 9110 section 8.6).
bool tells_empty_body(std::string_view method) noexcept {
  return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace

void append_fields(std::string& out, const Fields& fields) {
  for (const auto& field : fields) {
    out += field.name;
    out += ": ";
    out += field.value;
    out += "\r\n";
  }
}

void append_request_head(std::string& out, std::string_view method, std::string_view path, std::string_view query,
                         const Fields& fields, const Framing& framing) {
  out += method;
  out += ' ';
  out += path;
  out += query;
  out += " HTTP/1.1\r\n";
  append_fields(out, fields);
  if (framing.kind == Framing::Kind::none && tells_empty_body(method)) {
    out += "Content-Length: 0\r\n";
  } else {
    append_framing(out, framing, 11);
  }
  out += "\r\n";
}

void append_reply_head(std::string& out, const ReplyLine& line, const Fields& fields, const Framing& framing) {
  out += "HTTP/1.1 ";
  append_number(out, line.status);
  out += ' ';
  if (line.reason.empty()) {
    const auto reason = boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(line.status));
    if (!reason.starts_with('<')) out.append(reason.data(), reason.size());  // Beast's word for none
  } else {
    out += line.reason;
  }
  out += "\r\n";
  append_fields(out, fields);
  if (line.bodiless) {
    // For an answer to HEAD: what the body would measure.
    if (framing.kind == Framing::Kind::length && line.status >= 200 && line.status != 204)
      append_framing(out, framing, line.client_version);
  } else {
    if (framing.kind == Framing::Kind::none) out += "Content-Length: 0\r\n";
    append_framing(out, framing, line.client_version);
  }
  switch (line.connection) {
    case Connection::keep:
      if (line.client_version < 11) out += "Connection: keep-alive\r\n";
      break;
    case Connection::close:
      out += "Connection: close\r\n";
      break;
    case Connection::upgrade:
      out += "Connection: Upgrade\r\n";
  }
  out += "\r\n";
}

}  // namespace headgate::http::h1
