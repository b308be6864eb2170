#include "headgate/server/admin_listener.hpp"

#include "support/metrics_text.hpp"

#include "headgate/observe/counters.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

using headgate::test::MetricsReader;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Owns a socket for as long as a scope.
struct Descriptor {
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  ~Descriptor() { ::close(fd); }
};

bool connects(const Descriptor& socket, std::uint16_t port, const char* host = "127.0.0.1") {
  const timeval patience{8, 0};
  ::setsockopt(socket.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  auto address = loopback(port);
  ::inet_pton(AF_INET, host, &address.sin_addr);
  return ::connect(socket.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// Sends the bytes and reads until the other side closes.
std::string answer_to(const Descriptor& socket, const std::string& bytes) {
  ::send(socket.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  std::string out;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::recv(socket.fd, buffer, sizeof buffer, 0)) > 0;)
    out.append(buffer, static_cast<std::size_t>(got));
  return out;
}

std::string exchange(std::uint16_t port, const std::string& bytes, const char* host = "127.0.0.1") {
  const Descriptor socket;
  return connects(socket, port, host) ? answer_to(socket, bytes) : "refused";
}

std::string asked(const std::string& method, const std::string& path, const std::string& fields = "") {
  return method + ' ' + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" + fields + "\r\n";
}

std::string body_of(const std::string& answer) {
  const auto end = answer.find("\r\n\r\n");
  return end == std::string::npos ? "no head: " + answer : answer.substr(end + 4);
}

config::Admin on_any_port(const std::string& token = "") {
  config::Admin out;
  out.listen = {"127.0.0.1", 0, "127.0.0.1:0"};
  if (!token.empty()) out.tokens = {token};
  out.if_taken = config::Admin::IfTaken::fail;
  return out;
}

class AdminTest : public testing::Test {
 protected:
  void begin(const config::Admin& options = on_any_port(), std::vector<admin::AdminEndpoint> more = {}) {
    admin = std::make_unique<AdminListener>(
        options, registry, [this] { return readiness.get(); }, std::move(more));
    const auto started = admin->start();
    ASSERT_TRUE(started.has_value()) << started.error();
    ASSERT_NE(admin->port(), 0);
  }
  void use(const std::optional<config::Admin>& options) {
    auto next = admin->prepare(options);
    ASSERT_TRUE(next.has_value()) << next.error();
    ASSERT_TRUE(admin->listen(*next).has_value());
    admin->use(std::move(*next));
  }
  std::string get(const std::string& path, const std::string& fields = "") const {
    return exchange(admin->port(), asked("GET", path, fields));
  }

  /// Set by the test, read by the admin thread.
  class Shared {
   public:
    void set(admin::ReadyReport value) {
      const std::lock_guard lock(mutex_);
      value_ = std::move(value);
    }
    admin::ReadyReport get() const {
      const std::lock_guard lock(mutex_);
      return value_;
    }

   private:
    mutable std::mutex mutex_;
    admin::ReadyReport value_;
  };

  observe::Registry registry;
  Shared readiness;
  std::unique_ptr<AdminListener> admin;
};

TEST_F(AdminTest, ShowsWhatIsCounted) {
  observe::RouteCounters route(registry, 0, "api");
  route.count("GET", 200, std::chrono::milliseconds(3));
  begin();
  const auto answer = get("/metrics");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
  auto text = MetricsReader::read(body_of(answer));
  EXPECT_THAT(text.complaints, IsEmpty());
  const std::string series = R"(headgate_requests_total{route="api",method="GET",code="200"})";
  EXPECT_EQ(text.value(series), 1);
  route.count("GET", 200, std::chrono::milliseconds(3));
  EXPECT_EQ(MetricsReader::read(body_of(get("/metrics"))).value(series), 2);
}

TEST_F(AdminTest, IsAliveWheneverItAnswers) {
  begin();
  readiness.set({{"this gateway is draining"}, {}});
  const auto answer = get("/healthz");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(body_of(answer), "ok\n");
}

TEST_F(AdminTest, IsReadyUntilThereIsAReasonNotToBe) {
  begin();
  EXPECT_THAT(get("/readyz"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(body_of(get("/readyz")), "ready\n");
  readiness.set({{}, {"Redis does not answer"}});
  EXPECT_THAT(get("/readyz"), StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(body_of(get("/readyz")), "ready, but degraded: Redis does not answer\n");
  readiness.set({{"this gateway is draining", "no \"config\""}, {}});
  const auto answer = get("/readyz");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json\r\n"));
  EXPECT_THAT(answer, HasSubstr(R"("detail": "Not ready: this gateway is draining; no \"config\".")"));
}

TEST_F(AdminTest, AnswersHeadWithoutABody) {
  begin();
  const auto answer = exchange(admin->port(), asked("HEAD", "/healthz"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 3\r\n"));
  EXPECT_EQ(body_of(answer), "");
}

TEST_F(AdminTest, CanOnlyBeRead) {
  begin();
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    const auto answer = exchange(admin->port(), asked(method, "/metrics", "Content-Length: 0\r\n"));
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 405 ")) << method;
    EXPECT_THAT(answer, HasSubstr("Allow: GET, HEAD\r\n"));
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json\r\n"));
  }
}

TEST_F(AdminTest, KnowsNoOtherPath) {
  begin();
  for (const std::string path : {"/", "/metric", "/metrics/", "/healthz/x"}) {
    const auto answer = get(path);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 404 ")) << path;
    EXPECT_THAT(answer, HasSubstr("Content-Type: application/problem+json\r\n"));
  }
}

TEST_F(AdminTest, ShowsMetricsOnlyWithTheToken) {
  begin(on_any_port("s3cret"));
  const auto none = get("/metrics");
  EXPECT_THAT(none, StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(none, HasSubstr("WWW-Authenticate: Bearer realm=\"headgate admin\"\r\n"));
  EXPECT_THAT(none, Not(HasSubstr("s3cret")));
  for (const std::string wrong : {"Bearer s3cre", "Bearer s3crets", "Bearer ", "Basic s3cret", "s3cret"})
    EXPECT_THAT(get("/metrics", "Authorization: " + wrong + "\r\n"), StartsWith("HTTP/1.1 401 ")) << wrong;
  EXPECT_THAT(get("/metrics", "Authorization: Bearer s3cret\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminTest, AsksProbesForNoToken) {
  begin(on_any_port("s3cret"));
  EXPECT_THAT(get("/healthz"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(get("/readyz"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminTest, WithoutATokenAnswersNoPageOfSomewhereElse) {
  begin();
  const auto status = [&](const std::string& host) {
    return exchange(admin->port(), "GET /metrics HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
        .substr(0, 12);
  };
  EXPECT_EQ(status("rebound.example"), "HTTP/1.1 403");
  EXPECT_EQ(status("localhost.rebound.example:9900"), "HTTP/1.1 403");
  EXPECT_EQ(status("127.0.0.1.rebound.example"), "HTTP/1.1 403");
  EXPECT_EQ(status("localhost:9900"), "HTTP/1.1 200");
  EXPECT_EQ(status("LocalHost"), "HTTP/1.1 200");
  EXPECT_EQ(status("127.0.0.1:9900"), "HTTP/1.1 200");
  EXPECT_EQ(status("[::1]:9900"), "HTTP/1.1 200");
}

TEST_F(AdminTest, WithATokenCanBeAskedByName) {
  begin(on_any_port("s3cret"));
  const auto answer = exchange(admin->port(),
                               "GET /metrics HTTP/1.1\r\nHost: gateway.internal\r\nConnection: close\r\n"
                               "Authorization: Bearer s3cret\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
}

/// Two clients have sent a part of a head each. The first has no token.
struct HalfAsked {
  explicit HalfAsked(std::uint16_t port) {
    for (const auto* each : {&stranger, &known}) {
      EXPECT_TRUE(connects(*each, port));
      EXPECT_EQ(::send(each->fd, part.data(), part.size(), MSG_NOSIGNAL), static_cast<ssize_t>(part.size()));
    }
    EXPECT_THAT(server::exchange(port, asked("GET", "/healthz")), StartsWith("HTTP/1.1 200 "))
        << "so both were accepted";
  }
  const std::string part = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n";
  Descriptor stranger, known;
};

TEST_F(AdminTest, SwitchedOffStillAsksItsLastConnectionsForTheToken) {
  begin(on_any_port("s3cret"));
  const HalfAsked half(admin->port());
  use(std::nullopt);
  EXPECT_THAT(answer_to(half.stranger, "\r\n"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer_to(half.known, "Authorization: Bearer s3cret\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminTest, MovedToAnAddressWithoutATokenStillAsksTheLastConnectionsOfTheOldOneForIt) {
  begin(on_any_port("s3cret"));
  const HalfAsked half(admin->port());
  auto open = on_any_port();
  open.listen = {"127.0.0.2", 0, "127.0.0.2:0"};
  use(open);
  EXPECT_THAT(answer_to(half.stranger, "\r\n"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer_to(half.known, "Authorization: Bearer s3cret\r\n\r\n"), StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(exchange(admin->port(), asked("GET", "/metrics"), "127.0.0.2"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminTest, MovedToAnotherTokenKnowsTheOldOneNowhere) {
  begin(on_any_port("s3cret"));
  const HalfAsked half(admin->port());
  auto next = on_any_port("an0ther");
  next.listen = {"127.0.0.2", 0, "127.0.0.2:0"};
  use(next);
  EXPECT_THAT(answer_to(half.stranger, "\r\n"), StartsWith("HTTP/1.1 401 "));
  EXPECT_THAT(answer_to(half.known, "Authorization: Bearer s3cret\r\n\r\n"), StartsWith("HTTP/1.1 401 "));
}

TEST_F(AdminTest, OfTheSameAddressAsksForNoTokenOnceItNeedsNone) {
  begin(on_any_port("s3cret"));
  use(on_any_port());
  EXPECT_THAT(get("/metrics"), StartsWith("HTTP/1.1 200 "));
}

TEST_F(AdminTest, SaysWhatToDoWhereItsAddressIsTaken) {
  begin();
  auto second = on_any_port();
  second.listen = {"127.0.0.1", admin->port(), "127.0.0.1:" + std::to_string(admin->port())};
  AdminListener other(second, registry, [] { return admin::ReadyReport(); });
  const auto started = other.start();
  ASSERT_TRUE(started.has_error());
  EXPECT_THAT(started.error(), StartsWith("the admin interface cannot listen on 127.0.0.1:"));
  EXPECT_THAT(started.error(), HasSubstr("is taken"));
}

TEST_F(AdminTest, NobodyAskedForGoesWithoutItsAddress) {
  begin();
  auto second = on_any_port();
  second.listen.port = admin->port();
  second.if_taken = config::Admin::IfTaken::go_without;
  AdminListener other(second, registry, [] { return admin::ReadyReport(); });
  EXPECT_TRUE(other.start().has_value());
  EXPECT_EQ(other.port(), 0);
  other.stop();
  EXPECT_EQ(body_of(get("/healthz")), "ok\n") << "the first still answers";
}

/// What adding an endpoint takes: a row.
TEST_F(AdminTest, AnswersWhatThereIsARowFor) {
  const auto echo = [](const admin::AdminCall& call) {
    return admin::AdminAnswer{.body = std::string(call.parameter("name")) + ": " + call.body + std::string(call.query)};
  };
  const auto refuse = [](const admin::AdminCall&) {
    return admin::AdminAnswer{.status = 409, .body = "It is in use."};
  };
  begin(on_any_port("s3cret"), {{.method = "PUT", .path = "/keys/{name}", .most_body = 8, .answer = echo},
                                {.method = "DELETE", .path = "/keys/{name}", .answer = refuse}});
  const auto ask = [&](const std::string& method, const std::string& path, const std::string& body,
                       const std::string& token = "s3cret") {
    return exchange(admin->port(), asked(method, path,
                                         "Authorization: Bearer " + token +
                                             "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n") +
                                       body);
  };
  EXPECT_EQ(body_of(ask("PUT", "/keys/alice?x=1", "12345678")), "alice: 12345678?x=1");
  EXPECT_THAT(ask("PUT", "/keys/alice", "123456789"), StartsWith("HTTP/1.1 413 "));
  EXPECT_THAT(ask("PUT", "/keys/alice", "1", "guess"), StartsWith("HTTP/1.1 401 ")) << "not for all unless it says so";
  const auto refused = ask("DELETE", "/keys/alice", "");
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 409 "));
  EXPECT_THAT(refused, HasSubstr(R"("detail": "It is in use.")"));
  const auto other = ask("GET", "/keys/alice", "");
  EXPECT_THAT(other, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(other, HasSubstr("Allow: PUT, DELETE\r\n"));
  EXPECT_THAT(ask("PUT", "/keys/", "1"), StartsWith("HTTP/1.1 404 ")) << "a parameter is not empty";
  EXPECT_THAT(ask("PUT", "/keys/a/b", "1"),
              AllOf(HasSubstr("There is /metrics, "), HasSubstr(", /keys/{name} and /api/v1/openapi.json here")));
}

TEST_F(AdminTest, StopsThoughAClientStaysConnected) {
  begin();
  const Descriptor idle;
  const auto address = loopback(admin->port());
  ASSERT_EQ(::connect(idle.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::send(idle.fd, "GET /healthz HT", 15, MSG_NOSIGNAL), 15);
  const auto began = std::chrono::steady_clock::now();
  admin->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
  EXPECT_EQ(exchange(ntohs(address.sin_port), asked("GET", "/healthz")), "refused");
}

}  // namespace
}  // namespace headgate::server
