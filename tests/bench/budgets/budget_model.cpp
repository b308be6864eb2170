#include "budget_model.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

namespace headgate::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kReported = R"("usage":{"prompt_tokens":40,"completion_tokens":120,"total_tokens":160})";

bool send_whole(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string as_chunk(const std::string& bytes) {
  std::array<char, 16> length{};
  const auto end = std::to_chars(length.data(), length.data() + length.size(), bytes.size(), 16).ptr;
  return std::string(length.data(), end) + "\r\n" + bytes + "\r\n";
}

/// An event with `more` members, as long as all others.
std::string event_with(const std::string& more) {
  std::string event = R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1790000000,"model":"m",)";
  event += more + R"(,"system_fingerprint":")";
  event.append(kEventBytes - event.size() - 4, 'f');
  return as_chunk(event + "\"}\n\n");
}

std::string whole_answer() {
  const std::string text(600, 'x');
  const auto body =
      R"({"id":"chatcmpl-1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":")" +
      text + R"("},"finish_reason":"stop"}],)" + kReported + "}";
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

/// Returns the length of the body of a request; 0 if it has none.
std::size_t length_of(std::string_view head) {
  for (const std::string_view name : {"\r\nContent-Length: ", "\r\ncontent-length: "}) {
    std::size_t length = 0;
    if (const auto at = head.find(name); at != head.npos) {
      std::from_chars(head.data() + at + name.size(), head.data() + head.size(), length);
      return length;
    }
  }
  return 0;
}

}  // namespace

BudgetModel::BudgetModel(unsigned events, std::chrono::milliseconds pause) : events_(events), pause_(pause) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (listener_ < 0 || bind(listener_, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener_, SOMAXCONN) != 0)
    throw std::system_error(errno, std::generic_category(), "the server of the bench");
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  accepting_ = std::thread([this] { accept_all(); });
}

BudgetModel::~BudgetModel() {
  stopped_ = true;
  shutdown(listener_, SHUT_RDWR);
  accepting_.join();
  for (const auto fd : open_) shutdown(fd, SHUT_RDWR);
  for (auto& thread : threads_) thread.join();
  for (const auto fd : open_) close(fd);
  close(listener_);
}

void BudgetModel::accept_all() {
  while (!stopped_) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::lock_guard lock(mutex_);
    open_.push_back(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void BudgetModel::serve(int fd) {
  const auto whole = whole_answer();
  std::string request;
  std::vector<char> buffer(64UL * 1024);
  while (!stopped_) {
    const auto head = request.find("\r\n\r\n");
    if (head != request.npos && request.size() >= head + 4 + length_of(request)) {
      const bool streams = request.find(R"("stream":true)", head) != request.npos;
      const bool paced = request.find(R"("paced":true)", head) != request.npos;
      request.clear();  // a proxy sends the next request after the answer
      if (streams ? !stream(fd, paced) : !send_whole(fd, whole)) break;
      continue;
    }
    const auto got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0) break;
    request.append(buffer.data(), static_cast<std::size_t>(got));
  }
  shutdown(fd, SHUT_RDWR);
}

bool BudgetModel::stream(int fd, bool paced) {
  const auto word = event_with(R"("choices":[{"index":0,"delta":{"content":" word"},"finish_reason":null}])");
  const auto end = event_with(std::string(R"("choices":[],)") + kReported) + as_chunk("data: [DONE]\n\n") + "0\r\n\r\n";
  std::string begin = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + word;
  if (!paced) {
    for (unsigned sent = 1; sent < events_; ++sent) begin += word;
    return send_whole(fd, begin + end);
  }
  auto due = std::chrono::steady_clock::now();
  if (!send_whole(fd, begin)) return false;
  for (unsigned sent = 1; sent < events_; ++sent) {
    std::this_thread::sleep_until(due += pause_);
    if (!send_whole(fd, word)) return false;
    events_sent_.fetch_add(1, std::memory_order_relaxed);
  }
  return send_whole(fd, end);
}

}  // namespace headgate::bench
