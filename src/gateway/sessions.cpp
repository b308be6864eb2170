#include "headgate/gateway/sessions.hpp"

#include "h1_session.hpp"

namespace headgate::gateway {

std::unique_ptr<Exchange> ExchangePool::take() {
  if (spare_.empty()) return std::make_unique<Exchange>();
  auto exchange = std::move(spare_.back());
  spare_.pop_back();
  return exchange;
}

void ExchangePool::put(std::unique_ptr<Exchange> exchange) {
  if (spare_.size() == kMostSpare) return;
  exchange->reset();
  spare_.push_back(std::move(exchange));
}

struct Sessions::List {
  boost::intrusive::list<H1Session, boost::intrusive::constant_time_size<false>> all;
};

Sessions::Sessions(Handler& handler, net::Blocks& blocks, const Timeouts& timeouts, const Bounds& bounds,
                   std::atomic<std::uint32_t>& total)
    : handler_(handler),
      blocks_(blocks),
      timeouts_(timeouts),
      bounds_(bounds),
      total_(total),
      list_(std::make_unique<List>()) {}

Sessions::~Sessions() {
  while (!list_->all.empty()) remove(list_->all.front());
}

void Sessions::take(net::StreamPtr stream, Opening opening) {
  const auto peer = stream->peer_address();
  if (peer.has_error()) return stream->close();  // gone already, and nobody to count it as
  const bool full = total_.load(std::memory_order_relaxed) >= bounds_.connections;
  if (full && turned_away_ >= kMostTurnedAway) return stream->reset();  // too many even to be told so
  const auto before = total_.fetch_add(1, std::memory_order_relaxed);
  auto* session = new H1Session(*this, std::move(stream), *peer);
  list_->all.push_back(*session);
  if (before >= bounds_.connections) {
    uncount(*session);  // it must not hold a place while it is told so
    ++turned_away_;
    return session->turn_away();
  }
  if (opening == Opening::proxy_header && handler_.trusts(*peer)) session->expect_proxy_header();
  session->rest(draining_ ? H1Session::kFirstRequest : timeouts_.idle);
}

void Sessions::uncount(H1Session& session) noexcept {
  if (std::exchange(session.counted_, false)) total_.fetch_sub(1, std::memory_order_relaxed);
}

void Sessions::remove(H1Session& session) noexcept {
  list_->all.erase(list_->all.iterator_to(session));
  if (session.counted_)
    uncount(session);
  else
    --turned_away_;
  delete &session;
}

void Sessions::drain() {
  draining_ = true;
  for (auto at = list_->all.begin(); at != list_->all.end();) {
    auto& session = *at++;
    session.drain();
  }
}

bool Sessions::empty() const noexcept { return list_->all.empty(); }

void Sessions::close_all() {
  for (auto at = list_->all.begin(); at != list_->all.end();) {
    auto& session = *at++;
    if (session.resting())
      remove(session);
    else
      session.close();
  }
}

}  // namespace headgate::gateway
