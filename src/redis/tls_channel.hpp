#pragma once
// TLS between bytes and bytes, without I/O: the link moves both, so that one write for all calls of a loop turn holds
// with TLS as well.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct bio_st;

namespace headgate::redis {

class TlsContext;

/// The client's side of one connection. One thread.
class TlsChannel {
 public:
  enum class Step { more, done, failed };

  /// `host` is what was connected to: the name asked for and checked, unless the options give another.
  TlsChannel(const TlsContext& context, const std::string& host);

  void feed(std::string_view received);  ///< bytes of the other side
  Step handshake();                      ///< at first and after each feed() until it is done

  /// done: `got` bytes of plain text are in `into`. more: feed first. failed: see reason(); also an orderly end.
  Step open(std::span<char> into, std::size_t& got);
  /// Encrypts `plain`; false where the connection is of no use any more.
  bool seal(std::string_view plain);
  /// Appends to `out` what must be sent, of handshake() and seal().
  void drain(std::string& out);

  const std::string& reason() const noexcept { return reason_; }  ///< one line for the log

 private:
  Step fail(int result);

  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  bio_st* received_ = nullptr;  ///< both owned by ssl_
  bio_st* to_send_ = nullptr;
  std::string reason_;
};

}  // namespace headgate::redis
