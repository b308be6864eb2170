#pragma once
// A server of HTTP/2 with prior knowledge that answers with exactly the given frames, right or wrong.

#include "blackbox/harness/h2_client.hpp"

#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headgate::test {

/// What has come on one stream.
struct H2Asked {
  unsigned connection = 0;  ///< 1: the first
  std::uint32_t stream = 0;
  std::map<std::string, std::string> fields;
  std::map<std::string, std::string> trailers;
  std::string body;
  bool ended = false;
  bool reset = false;
  std::uint32_t code = 0;  ///< with `reset`
};

/// A head, with END_STREAM if there is neither body nor trailers; the body; the trailers.
std::string h2_answer(std::uint32_t stream, const H2Fields& fields, const std::string& body = "",
                      const H2Fields& trailers = {});

/// One thread for each connection. `answer` is called there when the head of a request has come, when it has ended, and
/// when it was reset; what it returns is sent.
class H2Server {
 public:
  using Answer = std::function<std::string(const H2Asked&)>;
  explicit H2Server(Answer answer, std::string settings = {});
  H2Server(const H2Server&) = delete;
  H2Server& operator=(const H2Server&) = delete;
  ~H2Server();

  std::string url() const { return "http://127.0.0.1:" + std::to_string(listener_.local_port()); }
  unsigned connections() const { return accepted_; }
  /// All that has come, in the order of the events above.
  std::vector<H2Asked> asked() const;
  /// Sends these bytes on every open connection, or on that one.
  void say(const std::string& bytes, unsigned connection = 0);
  /// Closes every open connection.
  void hang_up();
  /// From now on nothing that comes is answered, no PING either.
  void fall_silent() { silent_ = true; }
  /// Sends its settings, and all else, only so long after a client has connected.
  void greet_after(Milliseconds wait) { greet_after_ = wait; }

 private:
  struct Connection {
    Socket socket;
    std::thread thread;
    unsigned number = 0;
  };
  void accept_all();
  void serve(Connection& connection);
  void take(Connection& connection, const H2Frame& frame, std::map<std::uint32_t, H2Asked>& streams, std::string& block,
            nghttp2_hd_inflater* inflater);
  void tell(Connection& connection, const H2Asked& asked);

  const Answer answer_;
  const std::string settings_;
  Socket listener_;
  std::atomic<unsigned> accepted_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> silent_ = false;
  std::atomic<Milliseconds> greet_after_ = Milliseconds(0);
  mutable std::mutex mutex_;
  std::list<Connection> open_;
  std::vector<H2Asked> asked_;
  std::thread acceptor_;
};

}  // namespace headgate::test
