// Writes the header fields of answers.

#include "callbacks.hpp"
#include "h2_session.hpp"

#include "headgate/net/h2_fields.hpp"

namespace headgate::session {

using net::H2Digits;
using net::H2Fields;

void H2Session::submit_interim(std::int32_t id, unsigned status, const http::Fields& fields) {
  const H2Digits digits(status);
  H2Fields out(heads_sent_);
  out.add(":status", digits.text());
  out.add(fields);
  nghttp2_submit_headers(h2_, NGHTTP2_FLAG_NONE, id, nullptr, out.data(), out.size(), nullptr);
}

bool H2Session::submit_answer(std::int32_t id, unsigned status, const http::Fields& fields, const std::uint64_t* length,
                              bool ends) {
  const H2Digits digits(status);
  const H2Digits bytes(length != nullptr ? *length : 0);
  H2Fields out(heads_sent_);
  out.add(":status", digits.text());
  out.add(fields);
  if (length != nullptr) out.add_new("content-length", bytes.text());
  return submit_h2_answer(h2_, id, out.data(), out.size(), ends);
}

bool H2Session::submit_trailers(std::int32_t id, const http::Fields& fields) {
  H2Fields out(heads_sent_);
  out.add(fields);
  return nghttp2_submit_trailer(h2_, id, out.data(), out.size()) == 0;
}

}  // namespace headgate::session
