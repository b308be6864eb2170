#pragma once
// HTTP/1.1 heads, written: appended to a buffer that keeps its capacity.

#include "headgate/http/head.hpp"

#include <string>
#include <string_view>

namespace headgate::http::h1 {

enum class Connection { keep, close, upgrade };

/// Request line, `fields` in order, framing, and the empty line. `fields` hold no framing fields.
void append_request_head(std::string& out, std::string_view method, std::string_view path, std::string_view query,
                         const Fields& fields, const Framing& framing);

/// Status line, `fields`, framing as far as `bodiless` allows (1xx, 204, 304, answers to HEAD carry what `fields` say),
/// Connection.
struct ReplyLine {
  unsigned status = 200;
  std::string_view reason;
  unsigned client_version = 11;
  bool bodiless = false;
  Connection connection = Connection::keep;
};
void append_reply_head(std::string& out, const ReplyLine& line, const Fields& fields, const Framing& framing);

void append_fields(std::string& out, const Fields& fields);

}  // namespace headgate::http::h1
