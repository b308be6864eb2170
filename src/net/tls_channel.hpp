#pragma once
// TLS between bytes and bytes, without I/O: whoever has the socket moves both, so that many records take one system
// call, and bytes that were read before TLS began can be fed.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_st;
struct bio_st;

namespace headgate::net {

class TlsContext;

/// One side of one connection. One thread.
class TlsChannel {
 public:
  enum class Step { more, done, failed };

  /// `host` is what a client connected to: the name asked for and checked, unless the options give another.
  TlsChannel(const TlsContext& context, const std::string& host);
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;
  ~TlsChannel();

  /// Bytes of the other side, all earlier ones of which are used up; they must stay until keep().
  void feed(std::string_view received) noexcept { unread_ = received; }
  /// Copies what of them is unread.
  void keep();

  Step handshake();  ///< at first and after each feed() until it is done
  /// done: `got` bytes of plain text are in `into`. more: feed first. failed: see ended() and reason().
  Step open(std::span<char> into, std::size_t& got);
  /// As open() of one byte, which stays to be opened.
  Step look();
  /// Whether there may be something to open before more is fed.
  bool holds() const noexcept;
  /// Encrypts `plain`; false where the connection is of no use any more.
  bool seal(std::string_view plain);
  /// Seals the word that nothing more comes, where a handshake was done.
  void say_end();

  /// What must be sent, of all that was done so far; what was sent is taken off its front by its owner.
  std::string& to_send() noexcept { return to_send_; }

  bool ended() const noexcept { return ended_; }                  ///< failed with the other side's word of its end
  bool distrusted() const noexcept { return distrusted_; }        ///< failed for the other side's certificate
  const std::string& reason() const noexcept { return reason_; }  ///< why it failed, for a log's line

 private:
  friend struct ChannelBio;
  Step fail(int result);

  struct Free {
    void operator()(ssl_st* ssl) const noexcept;
  };
  std::unique_ptr<ssl_st, Free> ssl_;
  std::string_view unread_;
  std::string kept_;  // where unread_ points to once it was kept
  std::string to_send_;
  std::string reason_;
  bool secured_ = false;
  bool ended_ = false;
  bool distrusted_ = false;
};

}  // namespace headgate::net
