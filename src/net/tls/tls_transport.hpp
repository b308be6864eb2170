#pragma once
// TLS as the transport of a stream, and its handshake.

#include "net/plain_transport.hpp"
#include "net/socket.hpp"
#include "tls_channel.hpp"

#include "headgate/core/task.hpp"
#include "headgate/net/tls/handshake_turns.hpp"
#include "headgate/net/tls/server_tls.hpp"
#include "headgate/net/tls/tls.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace headgate::net {

// Maximum number of bytes that one system call reads: four TLS records.
inline constexpr std::size_t kReadAtOnce = 64UL * 1024;
inline constexpr std::size_t kSealedAtOnce = 64UL * 1024;
/// Maximum number of bytes that TLS itself may queue while the peer reads nothing.
inline constexpr std::size_t kMaxHeld = 256UL * 1024;
inline constexpr std::size_t kRecord = 16UL * 1024;

/// Buffers that are used within one call. Each thread has one set, so that an idle connection has none.
struct TlsScratch {
  std::array<char, kReadAtOnce> received;
  std::array<char, kRecord> gathered;
};
inline TlsScratch& tls_scratch() {
  thread_local TlsScratch one;
  return one;
}

inline error_code broken_protocol() noexcept {
  return boost::system::errc::make_error_code(boost::system::errc::protocol_error);
}

/// TLS over the socket of a stream.
class TlsTransport final : public Transport {
  using Step = TlsChannel::Step;

 public:
  TlsTransport(int descriptor, const TlsContext& context, const std::string& host, std::string_view received,
               std::shared_ptr<TlsSession> session)
      : descriptor_(descriptor), channel_(context, host, std::move(session)) {
    channel_.feed(received);
    channel_.keep();
  }
  /// Creates the accepting side.
  TlsTransport(int descriptor, ServerTlsPtr server, std::string_view received)
      : descriptor_(descriptor), server_(std::move(server)), channel_(*server_) {
    channel_.feed(received);
    channel_.keep();
  }

  /// The readiness that a handshake waits for. shake_hands() continues the handshake without waiting. It returns no
  /// error when the handshake is done, or would_block; then the caller waits as `wants` says.
  enum class Wants : bool { read, write };
  error_code shake_hands(Wants& wants) {
    while (true) {
      const Step step = channel_.handshake();
      channel_.keep();
      const error_code unsent = send();  // also after a failure, because an alert tells the peer why
      if (step == Step::failed) return broken_protocol();
      if (unsent) {
        wants = Wants::write;
        return unsent;
      }
      if (step == Step::done) {
        held(channel_.holds());
        return {};
      }
      wants = Wants::read;
      if (const error_code unread = receive()) return unread;
    }
  }

  Result<std::size_t> read(std::span<char> into) noexcept override {
    while (true) {
      std::size_t got = 0;
      const Step step = channel_.open(into, got);
      channel_.keep();
      held(channel_.holds());
      if (step == Step::done) return got;
      if (step == Step::failed) return channel_.ended() ? error_code(boost::asio::error::eof) : broken_protocol();
      static_cast<void>(send());  // a key update of the peer must be answered
      if (channel_.to_send().size() > kMaxHeld) return broken_protocol();
      held(false);
      const error_code unread = receive();
      if (unread == boost::asio::error::eof)
        return error_code(boost::asio::error::connection_aborted);  // TLS requires a close_notify before the end
      if (unread) return unread;
    }
  }

  Result<std::size_t> write(std::span<const iovec> pieces) noexcept override {
    if (sealed_ == 0 && !seal(pieces)) return broken_protocol();
    if (const error_code unsent = send()) return unsent;
    return std::exchange(sealed_, 0);
  }

  Result<std::size_t> discard(std::size_t most) noexcept override {
    held(false);
    return received(socket::discard(descriptor_, most), most);
  }

  bool silent() noexcept override {
    while (true) {
      const Step step = channel_.look();
      channel_.keep();
      held(channel_.holds());
      if (step != Step::more) return false;
      held(false);
      if (const error_code unread = receive()) return unread == boost::asio::error::would_block;
    }
  }
  bool broken() noexcept override { return socket::broken(descriptor_); }
  bool sees_end() noexcept override { return ends() || (!silent() && channel_.ended()); }
  void send_end() noexcept override {
    channel_.send_end();
    static_cast<void>(send());
  }
  std::string_view reason() const noexcept override { return channel_.reason(); }
  std::string_view protocol() const noexcept override { return channel_.protocol(); }
  bool distrusted() const noexcept { return channel_.distrusted(); }
  TlsChannel& channel() noexcept { return channel_; }

 private:
  error_code receive() noexcept {
    auto& into = tls_scratch().received;
    const auto got = received(socket::receive(descriptor_, into), into.size());
    if (got.has_error()) return got.error();
    channel_.feed({into.data(), *got});
    return {};
  }

  /// Encrypts `pieces`. Small pieces share a record.
  bool seal(std::span<const iovec> pieces) noexcept {
    auto& gathered = tls_scratch().gathered;
    std::size_t size = 0;
    const auto seal_gathered = [&] { return size == 0 || channel_.seal({gathered.data(), std::exchange(size, 0)}); };
    for (const auto& piece : pieces) {
      std::string_view bytes(static_cast<const char*>(piece.iov_base), piece.iov_len);
      bytes = bytes.substr(0, kSealedAtOnce - sealed_);
      sealed_ += bytes.size();
      while (!bytes.empty()) {
        const auto part = bytes.substr(0, kRecord - size);
        bytes.remove_prefix(part.size());
        part.copy(gathered.data() + size, part.size());
        size += part.size();
        if (size == kRecord && !seal_gathered()) return false;
      }
    }
    return seal_gathered();
  }

  error_code send() noexcept {
    auto& bytes = channel_.to_send();
    while (!bytes.empty()) {
      const iovec piece{bytes.data(), bytes.size()};
      const auto sent = socket::send(descriptor_, {&piece, 1});
      if (sent.has_error()) return sent.error();
      bytes.erase(0, *sent);
    }
    bytes = std::string();
    return {};
  }

  int descriptor_;
  ServerTlsPtr server_;  // null on the client side
  TlsChannel channel_;
  std::size_t sealed_ = 0;  // number of bytes of the pieces that are encrypted but not completely sent
};

/// Runs the handshake of the stream's transport `tls`, at most until `until`. Each step waits for its turn if there are
/// `turns`. `tls` is destroyed with its stream, which the caller keeps alive.
Task<Result<void, TlsError>> shake_hands(Stream& stream, TlsTransport& tls, std::chrono::steady_clock::time_point until,
                                         HandshakeTurns::Place* place);

}  // namespace headgate::net
