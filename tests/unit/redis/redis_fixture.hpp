#pragma once
// The limiter with a real redis-server of the test, and what it logs.

#include "fixture.hpp"
#include "support/redis_server.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace headgate::redis {

/// Skipped, visibly, if no redis-server is installed.
class RedisLimiter : public LoopTest {
 protected:
  void SetUp() override {
    if (!test::RedisServer::installed()) GTEST_SKIP() << "no redis-server on this machine";
  }

  void start(std::vector<std::string> arguments = {}) {
    ASSERT_TRUE(redis.start(std::move(arguments))) << redis.error();
    options.nodes[0].port = redis.port();
    options.timeout = 200ms;  // a longer deadline changes nothing, and tests share two slow cores
  }
  /// Runs a command as an operator would.
  std::string command(std::vector<std::string> words) {
    std::string bytes = "*" + std::to_string(words.size()) + "\r\n";
    for (const auto& word : words) bytes += "$" + std::to_string(word.size()) + "\r\n" + word + "\r\n";
    boost::asio::ip::tcp::iostream stream;
    stream.connect(boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), redis.port()));
    stream << bytes << std::flush;
    std::string line;
    std::getline(stream, line, '\r');
    if (line.starts_with("$") && line != "$-1") {
      stream.ignore();  // the line feed
      std::getline(stream, line, '\r');
    }
    return line;
  }
  test::RedisServer redis;
  RedisOptions options;
};

}  // namespace headgate::redis
