// Heads made to be expensive: each byte costs at most a small multiple of a byte of a plain head.

#include "../../src/gateway/callers/forwarding_headers.hpp"
#include "../../src/gateway/callers/presented.hpp"
#include "../../src/gateway/forward/forward.hpp"
#include "cost/spent.hpp"
#include "support/virtual_clock.hpp"

#include "headgate/gateway/answer.hpp"
#include "headgate/http/h1/parse.hpp"
#include "headgate/http/h1/write.hpp"
#include "headgate/identity/client_address.hpp"
#include "headgate/identity/network.hpp"

#include <boost/smart_ptr/make_local_shared.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

namespace headgate::gateway {
namespace {

using test::Spent;

constexpr std::size_t kHead = 15 * 1024;   // of the usual bound
constexpr std::size_t kLarge = 60 * 1024;  // the largest that can be configured
constexpr http::h1::Limits kLimits{kLarge, kLarge};

/// `first`, then so many of `piece` that all are about `size` bytes, then `last`.
std::string filled(std::string first, const std::string& piece, std::size_t size, const std::string& last = "\r\n") {
  while (first.size() + piece.size() + last.size() <= size) first += piece;
  return first + last;
}

/// A hostile head of about so many bytes.
struct Kind {
  std::string name;
  std::function<std::string(std::size_t)> make;
};

const std::string kGet = "GET / HTTP/1.1\r\nHost: a.example\r\n";

/// As a browser sends it.
std::string plain(std::size_t) {
  return "GET /articles/2024/a-page?from=list&page=2 HTTP/1.1\r\nHost: www.example.com\r\n"
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0\r\n"
         "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
         "Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br\r\n"
         "Referer: https://www.example.com/articles\r\nConnection: keep-alive\r\n"
         "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark; seen=1\r\n"
         "Cache-Control: max-age=0\r\nVia: 1.1 proxy.example\r\nX-Forwarded-For: 203.0.113.9, 10.0.0.2\r\n\r\n";
}

std::vector<Kind> requests() {
  const auto fields = [](const char* name, const std::string& piece) {
    return Kind{name, [piece](std::size_t size) { return filled(kGet, piece, size); }};
  };
  const auto value = [](const char* name, const std::string& begin, const std::string& piece) {
    return Kind{name, [=](std::size_t size) { return filled(kGet + begin, piece, size, "\r\n\r\n"); }};
  };
  const auto target = [](const char* name, const std::string& begin, const std::string& piece) {
    return Kind{name, [=](std::size_t size) {
                  return filled("GET " + begin, piece, size, " HTTP/1.1\r\nHost: a.example\r\n\r\n");
                }};
  };
  std::string names = "Connection: n0";
  for (std::size_t i = 1; i < 32; ++i) names += ",n" + std::to_string(i);
  return {
      fields("ShortFields", "A: b\r\n"),
      fields("FieldsOfNothing", "A:\r\n"),
      fields("LongFields", "A: " + std::string(1000, 'b') + "\r\n"),
      fields("ShortVia", "Via: b\r\n"),
      fields("LongVia", "Via: 1.1 " + std::string(140, 'v') + "\r\n"),
      {"FieldsBesideAFullConnection",
       [names](std::size_t size) { return filled(kGet + names + "\r\n", "n: b\r\n", size); }},
      fields("ConnectionsOfTheirOwnWords", "Connection: close,keep-alive\r\n"),
      fields("ConnectionsOfCommas", "Connection: " + std::string(150, ',') + "\r\n"),
      value("AConnectionOfNames", "Connection: ", "b,"),
      fields("ForwardedForFields", "X-Forwarded-For: 10.0.0.1\r\n"),
      value("ForwardedForEntries", "X-Forwarded-For: 1", ",10.0.0.1"),
      value("ForwardedForOfCommas", "X-Forwarded-For: ", ","),
      fields("FieldsThatTellTheWay", "X-Real_IP: 1\r\n"),
      value("ForwardedElements", "Forwarded: for=1", ",for=10.0.0.1"),
      value("ForwardedQuotes", "Forwarded: for=1", ",for=\"\\\"\""),
      value("ForwardedBackslashes", "Forwarded: for=\"", "\\\\\\\\\""),
      fields("Cookies", "Cookie: a=b\r\n"),
      value("CookiesInOne", "Cookie: a=b", "; a=b"),
      value("CookiesOfSemicolons", "Cookie: ", ";"),
      fields("CookiesToWithhold", "Cookie: session=b\r\n"),
      target("Parameters", "/?a=b", "&a=b"),
      target("ParametersOfNothing", "/?", "&"),
      target("EscapedParameters", "/?a=b", "&%6b%65%79%73%6b%65%79%73%6b%65%79%73%6b%65%79%73=b"),
      target("EscapesInParameters", "/?", "%41"),
      target("EscapesInThePath", "/", "%41"),
      target("Segments", "/", "a/"),
      target("Slashes", "/", "/"),
      target("DotsInThePath", "/a", "/."),
      target("TheWayUp", "/a", "/bb/.."),
      target("ManyDots", "/", "......."),
  };
}

identity::IdentityOptions withholding(identity::AddressField told_in) {
  identity::IdentityOptions options;
  options.address_field = told_in;
  options.api_key.written = true;
  options.api_key.pass_on = false;
  options.api_key.headers = {"x-api-key"};
  options.api_key.query = "key";
  options.api_key.cookie = "session";
  options.jwt.emplace();
  options.jwt->pass_on = false;
  options.jwt->query = "token";
  options.jwt->cookie = "token";
  options.jwt->claim_headers = {{"x-user", "sub"}, {"x-plan", "plan"}};
  options.trusted_proxies = {*identity::parse_network("10.0.0.0/8"), *identity::parse_network("127.0.0.1/32")};
  return options;
}

/// Nothing is sent to it.
class NoClient final : public http::ReplyWriter {
 public:
  Task<Result<void>> interim(const http::ReplyStart&) override { co_return Result<void>{}; }
  Task<Result<void>> send(const http::ReplyStart&, std::string_view, http::EndStream) override {
    co_return Result<void>{};
  }
  Task<Result<void>> write(std::string_view, http::EndStream) override { co_return Result<void>{}; }
  Task<Result<void>> finish(const http::Fields&) override { co_return Result<void>{}; }
  void tunnel(Duration) override {}
  bool started() const noexcept override { return false; }
  std::uint64_t bytes_sent() const noexcept override { return 0; }
};

/// All processing of a request's head before limits and servers.
struct Path {
  explicit Path(identity::AddressField told_in = identity::AddressField::x_forwarded_for)
      : field(told_in), identity(withholding(told_in)), compiled({}, identity, {}, {}, 1) {}

  headgate::test::VirtualClock clock;
  identity::AddressField field;
  identity::IdentityOptions identity;
  CompiledConfig compiled;
  NoClient client;
  Exchange x;

  bool take(const std::string& head) {
    x.reset();
    x.clock = &clock;
    x.reply = &client;
    const auto snapshot = boost::make_local_shared<Snapshot>();
    snapshot->compiled = std::shared_ptr<const CompiledConfig>(std::shared_ptr<void>(), &compiled);
    x.snapshot = snapshot;
    x.peer = boost::asio::ip::make_address("127.0.0.1");
    x.peer_text = "127.0.0.1";
    x.request_id = "id-1";
    if (http::h1::parse_request(head, kLimits, x.request).has_error()) return false;
    ForwardingRoom room;
    const auto told = forwarding_values(x, field, room);
    const auto hops = identity::walk_hops(x.peer, field, told, identity.trusted_proxies);
    x.caller.through_trusted = true;
    x.caller.address = hops.client;
    x.caller.hops = hops.believed;
    (void)presented_key(x, identity.api_key);
    (void)presented_token(x, *identity.jwt);
    forward_request_fields(x, compiled);
    http::h1::write_request_head(x.head, x.request.method, x.request.path, forwarded_query(x, identity), x.fields,
                                 x.request.framing);
    return true;
  }
};

/// The cost of each byte of a head, after other heads have warmed up all buffers.
struct PerByte {
  double steps;
  double memory;
};
std::ostream& operator<<(std::ostream& out, const PerByte& cost) {
  return out << cost.steps << " steps and " << cost.memory << " bytes from the heap for each byte";
}

PerByte cost_of(const std::string& head, const std::function<void(const std::string&)>& work) {
  work(head);
  const auto cost = test::spent_by([&] { work(head); });
  const auto size = static_cast<double>(head.size());
  return {static_cast<double>(cost.steps) / size, static_cast<double>(cost.bytes) / size};
}

/// At most this many steps for each byte, at both sizes, with every compiler: a plain head takes 3 to 10, a list of
/// parameters 60 to
/// 90. Quadratic work costs thousands.
constexpr double kMaxSteps = 200;
/// Bytes from the heap for each byte: a text is copied once or twice, and grows by doubling.
constexpr double kMaxMemory = 8;

void expect_cheap(const Kind& kind, const PerByte& usual, const std::function<void(const std::string&)>& work) {
  for (const auto size : {kHead, kLarge}) {
    const auto cost = cost_of(kind.make(size), work);
    const bool cheap = cost.steps < kMaxSteps && cost.memory < kMaxMemory;
    EXPECT_TRUE(cheap) << kind.name << " of " << size << " bytes: " << cost << "; a plain head: " << usual;
  }
}

TEST(CostOfHeads, IsCounted) {
  Path path;
  const auto cost = cost_of(plain(0), [&](const auto& head) { ASSERT_TRUE(path.take(head)); });
  EXPECT_GT(cost.steps, 1) << "the test has lost sight of the sources";
  EXPECT_LT(cost.memory, 1);
}

TEST(CostOfHeads, IsInProportionToTheirBytes) {
  for (const auto field : {identity::AddressField::x_forwarded_for, identity::AddressField::forwarded}) {
    Path path(field);
    const auto usual = cost_of(plain(0), [&](const auto& head) { ASSERT_TRUE(path.take(head)); });
    for (const auto& kind : requests()) expect_cheap(kind, usual, [&](const auto& head) { path.take(head); });
  }
}

TEST(CostOfHeads, IsInProportionToTheirBytesHoweverTheyArrive) {
  const auto arrive = [](const std::string& head) {
    std::size_t scanned = 0;
    std::size_t checked = 0;
    for (std::size_t size = 1; size < head.size(); ++size) {
      const auto there = std::string_view(head).substr(0, size);
      if (http::h1::head_size(there, scanned) != 0) break;
      if (http::h1::check_unfinished(there, checked).has_error()) break;
    }
  };
  const auto usual = cost_of(plain(0), arrive);
  for (const auto& kind : requests()) {
    if (kind.name.ends_with("Fields")) expect_cheap(kind, usual, arrive);
  }
}

TEST(CostOfHeads, OfAnswersIsInProportionToTheirBytesToo) {
  Path path;
  ASSERT_TRUE(path.take(plain(0)));
  const std::string status = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n";
  const auto relay = [&](const std::string& head) {
    auto& x = path.x;
    x.text.clear();
    if (http::h1::parse_reply(head, "GET", kLimits, x.answer).has_error()) return;
    take_over_fields(x, RejectionHeaders::both);
    AnswerStart answer{.start = {.status = x.answer.status}, .limits = RejectionHeaders::both};
    (void)send_answer<AnswerFrom::server>(x, answer, {}, http::EndStream::yes);  // writes no more than the fields
    http::h1::write_reply_head(x.reply_head, {}, x.fields, x.answer.framing);
  };
  const auto usual = cost_of(status + plain(0).substr(plain(0).find("User-Agent")), relay);
  for (const auto& kind : requests()) {
    const auto answer = [&](std::size_t size) { return status + kind.make(size).substr(kGet.size()); };
    if (kind.make(kHead).starts_with(kGet)) expect_cheap({kind.name, answer}, usual, relay);
  }
}

}  // namespace
}  // namespace headgate::gateway
