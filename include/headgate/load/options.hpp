#pragma once
// What a load is made of, and where it may go. cli fills it.

#include "headgate/core/result.hpp"
#include "headgate/core/time.hpp"
#include "headgate/load/timetable.hpp"
#include "headgate/net/stream.hpp"
#include "headgate/net/tls/tls_context.hpp"
#include "headgate/net/url.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace headgate::load {

/// One server that requests go to. It is looked up once, so that all go where was looked whether they may.
struct LoadTarget {
  net::Url url;
  net::Tcp::endpoint address;
  std::shared_ptr<const net::TlsContext> tls{};  ///< of a client, for the host of `url`; null: no TLS
};

/// What each request is. In values of fields, `{n}` is the number of the caller, `{ip}` an address of its own
/// (198.18.0.0/15, which RFC 2544 reserves for such tests), and `{key}` its line of `keys`.
struct RequestOptions {
  std::string method = "GET";
  std::vector<std::string> fields;  ///< "Name: value", as read_field() takes them
  std::vector<std::string> keys;    ///< callers beyond the last begin anew
  std::string body;
};

struct LoadOptions {
  std::vector<LoadTarget> targets;  ///< at least one; requests go to them in turn
  TimetableOptions timetable;
  RequestOptions request;
  bool patient = true;                          ///< whether callers wait as long as they are told
  unsigned connections = 100;                   ///< at most, to all targets together; at least one to each
  Duration timeout = std::chrono::seconds(10);  ///< of one request, from when it is sent
};

/// Checks one "Name: value". The error is a sentence without its dot.
Result<void, std::string> read_field(std::string_view text);

/// Returns whether an address is of this machine or of a private network (RFC 1918, 3927, 4193, 4291), where a load
/// cannot hurt a stranger.
bool is_near(const boost::asio::ip::address& address);

/// The address that stands for a caller, from 1: "198.18.0.1".
std::string address_of(std::uint32_t caller);

}  // namespace headgate::load
