#include "handshake.hpp"

#include "handshakes.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/observe/event.hpp"

#include <boost/asio/error.hpp>

#include <algorithm>
#include <utility>

namespace headgate::session {
namespace {

using observe::HandshakeResult;

/// The answer to plain HTTP on a TLS port. It is sent without TLS, as by other servers, so that a user with a wrong URL
/// sees the reason rather than binary data.
constexpr std::string_view kSpeaksTls =
    "This port accepts only HTTPS, but the request was plain HTTP. Use a URL that begins with https://.\n";

/// Returns the share that enter() took, even if the handshake throws.
class HandshakeShare {
 public:
  HandshakeShare(HandshakeShares& shares, const boost::asio::ip::address& address, bool taken)
      : shares_(shares), address_(address), taken_(taken) {}
  HandshakeShare(const HandshakeShare&) = delete;
  HandshakeShare& operator=(const HandshakeShare&) = delete;
  ~HandshakeShare() {
    if (taken_) shares_.leave(address_);
  }

 private:
  HandshakeShares& shares_;
  boost::asio::ip::address address_;
  bool taken_;
};

}  // namespace

HandshakeShares::Block HandshakeShares::block_of(const boost::asio::ip::address& address) {
  Block out{};
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::copy(bytes.begin(), bytes.end(), out.begin());
    out.back() = 4;  // marks an IPv4 address; hardly any IPv6 block has the same bytes
    return out;
  }
  const auto bytes = address.to_v6().to_bytes();
  std::copy_n(bytes.begin(), out.size(), out.begin());
  return out;
}

std::uint64_t HandshakeShares::owner_of(const boost::asio::ip::address& address) {
  const auto block = block_of(address);
  return keyed_hash({reinterpret_cast<const char*>(block.data()), block.size()}, 0).low;
}

bool HandshakeShares::enter(const boost::asio::ip::address& address) {
  auto& count = counts_[block_of(address)];
  if (count >= most_) return false;
  ++count;
  return true;
}

void HandshakeShares::leave(const boost::asio::ip::address& address) {
  const auto found = counts_.find(block_of(address));
  if (found != counts_.end() && --found->second == 0) counts_.erase(found);
}

TlsHandshake::TlsHandshake(Sessions& owner, net::ReadBuffer input, Peer peer, net::ServerTlsPtr tls)
    : Session(owner, std::move(input), std::move(peer)),
      tls_(std::move(tls)),
      due_(clock().steady() + timeouts().handshake) {}

Duration TlsHandshake::left() const noexcept {
  return std::max(std::chrono::duration_cast<Duration>(due_ - clock().steady()), Duration(0));
}

void TlsHandshake::begin() {
  if (read_buffer_.data().empty()) return wait_idle(std::min(patience(), left()));
  serve();
}

void TlsHandshake::serve() { spawn(run(), "handshake"); }

Task<void> TlsHandshake::run() {
  const Next next = co_await shake_hands();
  if (next == Next::session) co_return give_way(nullptr);
  if (next == Next::idle) co_return begin();
  // An alert or an answer was sent. If the connection were closed with unread bytes, the kernel would reset it, and the
  // client could lose the alert or the answer.
  if (next == Next::linger && stream_->is_open()) co_return linger();
  end();
}

Task<TlsHandshake::Next> TlsHandshake::shake_hands() {
  const auto received = read_buffer_.data();  // bytes that followed a PROXY header
  const auto first = received.empty() ? net::first_byte(*stream_) : Result<char>(received.front());
  if (first.has_error()) co_return first.error() == boost::asio::error::would_block ? Next::idle : Next::close;
  if (net::begins_plain_http(*first)) co_return refuse_plain_http();

  auto& all = handshakes();
  // The connections of a trusted proxy that sends no PROXY header belong to many clients, so they are not counted for
  // its address.
  const bool counted = !handler().trusts(peer_.address);
  if (counted && !all.shares.enter(peer_.address)) {
    count(HandshakeResult::refused);
    co_return Next::close;
  }
  const HandshakeShare share(all.shares, peer_.address, counted);
  // The connections of a proxy belong to many clients, so each connection waits as if it were a client of its own.
  const auto owner = counted ? HandshakeShares::owner_of(peer_.address) : number();
  auto secured = co_await net::accept_tls(*stream_, tls_, received, left(), all.turns, owner);
  if (secured.has_error()) co_return failed(secured.error());

  count(secured->resumed ? HandshakeResult::resumed : HandshakeResult::full, secured->version);
  read_buffer_.consume(read_buffer_.data().size());
  peer_.tls = true;
  // replaces the report of the PROXY header
  if (tls_->asks_clients()) peer_.certificate = secured->certificate != nullptr;
  if (secured->http2) secured->server = tls_;
  peer_.secured = std::make_unique<const net::Secured>(std::move(*secured));
  co_return Next::session;
}

TlsHandshake::Next TlsHandshake::refuse_plain_http() {
  count(HandshakeResult::plain_http);
  return answer_unread("400 Bad Request", kSpeaksTls) ? Next::linger : Next::close;
}

TlsHandshake::Next TlsHandshake::failed(const net::TlsError& error) {
  const bool late = error.code == boost::asio::error::timed_out;
  count(late ? HandshakeResult::timed_out : HandshakeResult::failed);
  handler().handshake_failed(peer_.address, late ? "the TLS handshake was not complete in time" : error.reason);
  observe::event(observe::LogLevel::debug, "tls_handshake_failed",
                 late ? "the handshake was not complete in time" : "the handshake failed, so the connection is closed",
                 {{"peer", peer_.text}, {"reason", error.reason}});
  return late || error.code == boost::asio::error::eof ? Next::close : Next::linger;
}

void TlsHandshake::count(HandshakeResult result, std::string_view version) const {
  if (const auto* const counters = handshakes().counters) counters->count(result, version);
}

}  // namespace headgate::session
