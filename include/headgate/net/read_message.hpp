#pragma once
// Reads an HTTP message with a parser of Beast. Used by http_call and load.

#include "headgate/core/task.hpp"
#include "headgate/net/read_buffer.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>

namespace headgate::net {

/// Reads from `buffer` until `parser` is done or the connection ends. `left()` returns how long the next read may take;
/// if it returns 0, the task fails with timed_out. `noted()` is called after each piece that the parser has taken.
/// Fails with Beast's end_of_stream if no byte arrived. Both functions must outlive the task.
template <class Parser, class Left, class Noted>
Task<error_code> read_message(ReadBuffer& buffer, Parser& parser, const Left& left, const Noted& noted) {
  namespace beast_http = boost::beast::http;
  while (!parser.is_done()) {
    error_code ec;
    const auto data = buffer.data();
    if (!data.empty()) {
      buffer.consume(parser.put(boost::asio::buffer(data.data(), data.size()), ec));
      noted();
      if (ec && ec != beast_http::error::need_more) co_return ec;
      if (!ec) continue;
    }
    const Duration time = left();
    if (time <= Duration(0)) co_return error_code(boost::asio::error::timed_out);
    const auto got = co_await buffer.fill(time);
    if (got.has_value()) continue;
    if (got.error() != boost::asio::error::eof) co_return got.error();
    if (!parser.got_some()) co_return error_code(beast_http::error::end_of_stream);
    parser.put_eof(ec);
    co_return ec;
  }
  co_return error_code();
}

}  // namespace headgate::net
