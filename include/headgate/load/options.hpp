#pragma once
// The options of a load, and the check of its targets. cli fills them.

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

/// A server that receives requests. Its name is resolved once, so that all requests go to the address that was checked.
struct LoadTarget {
  net::Url url;
  net::Tcp::endpoint address;
  std::shared_ptr<const net::TlsContext> tls{};  ///< client TLS for the host of `url`; null for no TLS
};

/// The content of each request. In field values `{n}` is the number of the caller, `{ip}` the caller's own address
/// (198.18.0.0/15, which RFC 2544 reserves for such tests), and `{key}` the caller's line of `keys`.
struct RequestOptions {
  std::string method = "GET";
  std::vector<std::string> fields;  ///< "Name: value", as accepted by read_field()
  std::vector<std::string> keys;  ///< keys of the callers; if there are more callers than keys, the keys are used again
  std::string body;
};

struct LoadOptions {
  std::vector<LoadTarget> targets;  ///< servers that get the requests in turn, at least one
  TimetableOptions timetable;
  RequestOptions request;
  bool patient = true;         ///< true if callers wait as long as an answer tells them to
  unsigned connections = 100;  ///< maximum number of connections to all targets together; at least one to each
  Duration timeout = std::chrono::seconds(10);  ///< time limit of one request, from sending
};

/// Checks one "Name: value". The error is a sentence without a full stop.
Result<void, std::string> read_field(std::string_view text);

/// Returns whether an address belongs to this machine or a private network (RFC 1918, 3927, 4193, 4291), where a load
/// cannot harm strangers.
bool is_near(const boost::asio::ip::address& address);

/// Returns the address that stands for a caller, from 1: "198.18.0.1".
std::string address_of(std::uint32_t caller);

}  // namespace headgate::load
