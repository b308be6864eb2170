// Fuzzes the server's side of the TLS handshake, behind an optional PROXY header: how the bytes are cut makes no
// difference, little is answered, and nobody is through without a handshake.

#include "../../src/net/tls/tls_channel.hpp"
#include "fuzzer.hpp"

#include "headgate/identity/proxy_protocol.hpp"
#include "headgate/net/tls/server_tls.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace headgate::fuzz {
namespace {

using headgate::net::ServerTls;
using headgate::net::TlsChannel;
using Step = TlsChannel::Step;

/// The server's part of a handshake: a chain of one certificate, and little else.
constexpr std::size_t kMaxAnswer = 4096;

std::string tls_file(const std::string& name) {
  std::ifstream file(std::string(HEADGATE_SOURCE_DIR) + "/tests/unit/config/beside/tls/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

const ServerTls& server() {
  static headgate::net::TlsLibrary library;
  static const auto made = [] {
    headgate::net::ServerTlsOptions options;
    options.certificates.resize(1);
    auto result =
        ServerTls::make(library, options, {.pairs = {{tls_file("good.pem"), tls_file("good.key")}}, .client_ca = {}});
    demand(result.has_value());
    return *result;
  }();
  return *made;
}

std::string number(std::size_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
  return out;
}
std::string sized(const std::string& text, int bytes) { return number(text.size(), bytes) + text; }

/// A first message as a client sends it (RFC 8446 section 4.1.2), with these contents of server_name and ALPN, which
/// mutation alone would hardly ever reach.
std::string hello(const std::string& name, const std::string& protocols) {
  const auto extension = [](std::size_t type, const std::string& text) { return number(type, 2) + sized(text, 2); };
  const std::string extensions = extension(0, name) + extension(16, protocols) +
                                 extension(10, number(0x0004001d0017, 6)) + extension(11, number(0x0100, 2)) +
                                 extension(13, number(0x00020403, 4));
  const std::string message = "\x03\x03" + std::string(32, 'r') + sized("", 1) + sized("\xc0\x2b", 2) +
                              sized(std::string(1, '\0'), 1) + sized(extensions, 2);
  return "\x16\x03\x01" + sized('\x01' + sized(message, 3), 2);
}

struct Outcome {
  Step step;
  bool answered;
};

/// Feeds `bytes`, so many at once.
Outcome outcome(std::string_view bytes, std::size_t piece) {
  TlsChannel channel(server());
  auto step = Step::more;
  for (; step == Step::more && !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
    channel.feed(bytes.substr(0, piece));
    step = channel.handshake();
    channel.keep();
  }
  demand(step != Step::done);  // the bytes know nothing of what the server chose at random
  demand((step == Step::failed) == !channel.reason().empty());
  demand(channel.to_send().size() <= kMaxAnswer);
  if (step == Step::failed) demand(channel.handshake() == Step::failed && !channel.seal("x"));
  return {step, !channel.to_send().empty()};
}

/// The two extensions as they are written, so that what they contain is met.
std::string usual_hello(const std::string& name, const std::string& protocol) {
  return hello(sized('\0' + sized(name, 2), 2), sized(sized(protocol, 1), 2));
}

void take(std::string_view bytes) {
  if (bytes.size() > 4 * kMaxAnswer) return;
  const auto at_once = outcome(bytes, std::max<std::size_t>(bytes.size(), 1));
  const auto in_pieces = outcome(bytes, bytes.size() / 7 + 1);
  demand(at_once.step == in_pieces.step && at_once.answered == in_pieces.answered);
}

}  // namespace

void client_hello_fuzz(std::string_view bytes) {
  using namespace headgate::identity;
  static const auto usual = outcome(usual_hello("a.example", "http/1.1"), 1000);
  demand(usual.step == Step::more && usual.answered);  // else this looks at nothing but refusals
  ProxyHeader header;
  if (read_proxy_header(bytes, header) == ProxyHeaderState::whole) bytes.remove_prefix(header.size);
  take(bytes);
  if (bytes.size() < 2 || bytes.size() > 2000) return;
  const auto name_size = std::min(bytes.size() - 1, static_cast<std::size_t>(static_cast<unsigned char>(bytes[0])));
  const std::string name(bytes.substr(1, name_size));
  const std::string protocols(bytes.substr(1 + name_size));
  take(hello(name, protocols));
  take(usual_hello(name, protocols.substr(0, 255)));
}

}  // namespace headgate::fuzz
