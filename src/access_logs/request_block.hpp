#pragma once
// A piece of a log with the parsed content of its lines. One block of memory has everything that its requests refer to.

#include "headgate/core/time.hpp"
#include "headgate/gateway/assumed_caller.hpp"
#include "headgate/http/fields.hpp"

#include <boost/asio/ip/address.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace headgate::access_logs {

/// The parsed content of a line. Views are into the block of the line.
struct LoggedRequest {
  Instant began{};
  Instant written{};
  Duration took{0};
  boost::asio::ip::address address;
  std::string_view method, host, path, query;
  std::uint64_t request_bytes = 0;
  std::uint64_t bytes = 0;
  unsigned status = 200;
  std::uint32_t fields_at = 0;  ///< index of its first header field in the block
  std::uint32_t fields = 0;
  std::uint32_t values_at = 0;  ///< index of its first value
  gateway::AssumedCost cost;
  std::string_view call;  ///< text of a call of the rate limit service; empty for a request
  bool tls = false;
  bool assumed_ok = false;
};

struct RequestBlock {
  static constexpr std::size_t kBytes = std::size_t{256} * 1024;

  std::array<char, kBytes> bytes;
  std::vector<LoggedRequest> requests;
  std::vector<http::Field> fields;
  std::vector<std::string_view> values;
  std::size_t held = 0;  ///< number of users: requests in the block, and the reader while it fills the block
};

/// The pool of blocks. One thread.
class RequestBlocks {
 public:
  /// Returns a block with one user.
  RequestBlock& take();
  void release(RequestBlock& block) {
    if (--block.held == 0) free_.push_back(&block);
  }
  std::size_t taken() const noexcept { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<RequestBlock>> all_;
  std::vector<RequestBlock*> free_;
};

}  // namespace headgate::access_logs
