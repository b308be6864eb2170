#include "headgate/net/tls.hpp"

#include "plain_transport.hpp"
#include "socket.hpp"
#include "tls_channel.hpp"

#include <boost/asio/error.hpp>
#include <boost/system/errc.hpp>

#include <array>
#include <chrono>
#include <memory>
#include <utility>

namespace headgate::net {
namespace {

namespace error = boost::asio::error;
using Clock = std::chrono::steady_clock;
using Step = TlsChannel::Step;

// Four TLS records for each system call.
constexpr std::size_t kReadAtOnce = 64UL * 1024;
constexpr std::size_t kSealedAtOnce = 64UL * 1024;
constexpr std::size_t kRecord = 16UL * 1024;

/// Buffers used within one call. One for each thread, so that an idle connection has none.
struct Scratch {
  std::array<char, kReadAtOnce> received;
  std::array<char, kRecord> gathered;
};
Scratch& scratch() {
  thread_local Scratch one;
  return one;
}

error_code broken_protocol() noexcept {
  return boost::system::errc::make_error_code(boost::system::errc::protocol_error);
}

/// TLS over the socket of a stream.
class TlsTransport final : public Transport {
 public:
  TlsTransport(int descriptor, const TlsContext& context, const std::string& host, std::string_view received,
               std::shared_ptr<TlsSession> session)
      : descriptor_(descriptor), channel_(context, host, std::move(session)) {
    channel_.feed(received);
    channel_.keep();
  }

  /// Continues the handshake without waiting. No error: done. would_block: wait as `wants` says.
  enum class Wants : bool { read, write };
  error_code shake_hands(Wants& wants) {
    while (true) {
      const Step step = channel_.handshake();
      channel_.keep();
      const error_code unsent = send();  // also after a failure: an alert tells the peer why
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
      if (step == Step::failed) return channel_.ended() ? error_code(error::eof) : broken_protocol();
      static_cast<void>(send());  // a key update must be answered
      held(false);
      const error_code unread = receive();
      if (unread == error::eof)
        return error_code(error::connection_aborted);  // TLS requires a close_notify before the end
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
      if (const error_code unread = receive()) return unread == error::would_block;
    }
  }
  bool broken() noexcept override { return socket::broken(descriptor_); }
  void send_end() noexcept override {
    channel_.send_end();
    static_cast<void>(send());
  }
  std::string_view reason() const noexcept override { return channel_.reason(); }
  bool distrusted() const noexcept { return channel_.distrusted(); }

 private:
  error_code receive() noexcept {
    auto& into = scratch().received;
    const auto got = received(socket::receive(descriptor_, into), into.size());
    if (got.has_error()) return got.error();
    channel_.feed({into.data(), *got});
    return {};
  }

  /// Encrypts `pieces`; small ones share a record.
  bool seal(std::span<const iovec> pieces) noexcept {
    auto& gathered = scratch().gathered;
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
  TlsChannel channel_;
  std::size_t sealed_ = 0;  // bytes of the pieces that are encrypted and not all sent
};

}  // namespace

Task<Result<void, TlsError>> secure(Stream& stream, const TlsContext& context, std::string host,
                                    std::string_view received, Duration timeout, std::shared_ptr<TlsSession> session) {
  const auto until = Clock::now() + timeout;
  auto made = std::make_unique<TlsTransport>(stream.descriptor(), context, host, received, std::move(session));
  auto& tls = *made;
  stream.use_transport(std::move(made));
  error_code ec;
  while (true) {
    if (!stream.is_open() || stream.interrupted()) ec = error::operation_aborted;
    if (ec) break;
    auto wants = TlsTransport::Wants::read;
    ec = tls.shake_hands(wants);
    if (ec != error::would_block) break;
    const auto left = std::chrono::duration_cast<Duration>(until - Clock::now());
    if (left <= Duration(0)) {
      ec = error::timed_out;
    } else if (wants == TlsTransport::Wants::read) {
      ec = co_await stream.readable(left);
    } else {
      const auto flushed = co_await stream.flush(left);
      ec = flushed.has_error() ? flushed.error() : error_code();
    }
  }
  if (!ec) co_return Result<void, TlsError>();
  std::string reason(tls.reason());
  if (reason.empty()) reason = ec == error::eof ? "it closed the connection" : ec.message();
  const TlsError why{.code = ec, .distrusted = tls.distrusted(), .reason = reason};
  co_return why;
}

}  // namespace headgate::net
