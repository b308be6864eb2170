#include "headgate/net/look_up.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include <netdb.h>

#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

namespace headgate::net {
namespace {

using Addresses = std::vector<Tcp::endpoint>;

error_code error_of(int code) {
  switch (code) {
    case EAI_SYSTEM:
      return {errno, boost::system::system_category()};
    case EAI_AGAIN:
      return boost::asio::error::host_not_found_try_again;
    case EAI_MEMORY:
      return boost::asio::error::no_memory;
    case EAI_FAIL:
      return boost::asio::error::no_recovery;
    default:
      return boost::asio::error::host_not_found;
  }
}

/// Resolves the name; blocks.
Result<Addresses> addresses_of(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int code = ::getaddrinfo(host.c_str(), nullptr, &hints, &list); code != 0) return error_of(code);
  Addresses out;
  for (const auto* one = list; one != nullptr; one = one->ai_next) {
    Tcp::endpoint endpoint;
    if (one->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
    endpoint.resize(one->ai_addrlen);
    endpoint.port(port);
    out.push_back(endpoint);
  }
  ::freeaddrinfo(list);
  if (out.empty()) return error_code(boost::asio::error::host_not_found);
  return out;
}

}  // namespace

/// State that exists longer than its LookUps if a thread is still resolving a name.
struct LookUps::Shared {
  std::mutex mutex;
  boost::asio::io_context* loop = nullptr;  ///< null if no answer is awaited any more
  LookUps* owner = nullptr;                 ///< used on the loop's thread only
};

LookUps::LookUps(boost::asio::io_context& loop) : shared_(std::make_shared<Shared>()) {
  shared_->loop = &loop;
  shared_->owner = this;
}

LookUps::~LookUps() {
  const std::lock_guard lock(shared_->mutex);
  shared_->loop = nullptr;
  shared_->owner = nullptr;
}

void LookUps::ask(const std::string& host, std::uint16_t port, LookedUp found) {
  Question question{host, port, std::move(found)};
  if (under_way_ >= kAtOnce)
    waiting_.push_back(std::move(question));
  else
    begin(std::move(question));
}

void LookUps::begin(Question question) {
  ++under_way_;
  std::thread([shared = shared_, asked = std::move(question)]() mutable {
    auto result = addresses_of(asked.host, asked.port);
    const std::lock_guard lock(shared->mutex);
    if (shared->loop == nullptr) return;
    boost::asio::post(*shared->loop, [shared, found = std::move(asked.found), result = std::move(result)] {
      if (shared->owner == nullptr) return;
      shared->owner->ended();
      found(result);
    });
  }).detach();
}

void LookUps::ended() {
  --under_way_;
  if (waiting_.empty()) return;
  auto next = std::move(waiting_.front());
  waiting_.pop_front();
  begin(std::move(next));
}

}  // namespace headgate::net
