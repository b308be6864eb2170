#include "listeners.hpp"

#include <algorithm>
#include <utility>

namespace headgate::server {
namespace {

using Sockets = std::vector<net::BoundSocket>;
using Bound = Result<Sockets, std::string>;

bool same_address(const net::ListenOptions& a, const net::ListenOptions& b) {
  return a.host == b.host && a.port == b.port;
}

}  // namespace

void Listeners::Next::use(std::vector<ListenerTls> tls) {
  for (std::size_t i = 0; i < tls.size(); ++i) rows.at(i).tls = std::move(tls[i]);
}

Result<Listeners::Next, ListenFailure> Listeners::prepare(const std::vector<net::ListenOptions>& wanted,
                                                          PassedSockets& passed) const {
  Next next;
  std::vector<bool> kept(open_.size());
  for (const auto& options : wanted) {
    auto& row = next.rows.emplace_back(Next::Row{options, {}});
    for (std::size_t i = 0; i < open_.size() && !row.open; ++i)
      if (!kept[i] && same_address(open_[i].options, options)) row.open = i;
    if (row.open) {
      kept[*row.open] = true;
      continue;
    }
    auto given = passed.take(options);
    row.passed = !given.empty();
    auto sockets = row.passed ? complete(std::move(given), options) : bind_new(options);
    if (sockets.has_error())
      return {boost::system::in_place_error, ListenFailure{next.rows.size() - 1, std::move(sockets.error())}};
    row.sockets = std::move(*sockets);
  }
  return next;
}

Bound Listeners::bind_new(net::ListenOptions options) const {
  // check_free() is not called if this process has a socket at the port, because sockets of this process may share a
  // port with a wider or narrower address. bind() still detects sockets of other processes.
  const bool own =
      std::any_of(open_.begin(), open_.end(), [&](const Open& each) { return each.at.port() == options.port; });
  if (options.port != 0 && !own)
    if (const auto free = net::check_free(options); free.has_error()) return free.error();
  Sockets out;
  while (out.size() < workers_.size()) {
    auto socket = net::BoundSocket::bind(options);
    if (socket.has_error()) return socket.error();
    options.port = socket->local().port();
    out.push_back(std::move(*socket));
  }
  return out;
}

/// Returns a socket for each worker. Every passed socket is used, because clients may wait in each of them. If there
/// are fewer sockets than workers, further sockets share their port; if the port cannot be shared, workers share the
/// sockets.
Bound Listeners::complete(Sockets passed, net::ListenOptions options) const {
  options.port = passed.front().local().port();
  const bool shares = passed.front().shares_port();
  const auto given = passed.size();
  while (passed.size() < workers_.size()) {
    auto socket = shares ? net::BoundSocket::bind(options) : passed[passed.size() % given].duplicate();
    if (socket.has_error()) return socket.error();
    if (shares)
      if (const auto listening = socket->listen(); listening.has_error()) return listening.error();
    passed.push_back(std::move(*socket));
  }
  return passed;
}

Result<void, ListenFailure> Listeners::listen(Next& next) const {
  for (std::size_t i = 0; i < next.rows.size(); ++i) {
    if (next.rows[i].passed) continue;
    for (auto& socket : next.rows[i].sockets)
      if (const auto listening = socket.listen(); listening.has_error())
        return {boost::system::in_place_error, ListenFailure{i, listening.error()}};
  }
  return {};
}

Listeners::Change Listeners::use(Next next, Duration drain) {
  Change change;
  std::vector<Open> open;
  for (auto& row : next.rows) {
    if (!row.open) {
      change.added.push_back(net::shown(row.sockets.front().local()));
      open.push_back(hand_out(std::move(row)));
      continue;
    }
    auto& kept = open_[*row.open];
    if (kept.options != row.options || !row.tls.empty()) {
      for (std::size_t i = 0; i < workers_.size(); ++i)
        workers_[i]->change(kept.id, row.options, row.tls.empty() ? nullptr : std::move(row.tls[i]));
    }
    if (kept.options != row.options) {
      change.changed.push_back(net::shown(kept.at));
    }
    open.push_back({std::exchange(kept.id, 0), std::move(row.options), kept.at, std::move(kept.descriptors)});
  }
  for (const auto& gone : open_) {
    if (gone.id == 0) continue;
    for (auto* worker : workers_) worker->close(gone.id, drain);
    change.removed.push_back(net::shown(gone.at));
  }
  open_ = std::move(open);
  return change;
}

Listeners::Open Listeners::hand_out(Next::Row row) {
  Open out{++last_id_, std::move(row.options), row.sockets.front().local()};
  std::vector<Sockets> shares(workers_.size());
  for (std::size_t i = 0; i < row.sockets.size(); ++i) {
    out.descriptors.push_back(row.sockets[i].descriptor());
    shares[i % shares.size()].push_back(std::move(row.sockets[i]));
  }
  for (std::size_t i = 0; i < shares.size(); ++i)
    workers_[i]->listen(out.id, out.options, row.tls.empty() ? nullptr : std::move(row.tls[i]), std::move(shares[i]));
  return out;
}

void Listeners::use_tls(std::size_t index, ListenerTls tls) {
  for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i]->use_tls(open_.at(index).id, std::move(tls[i]));
}

std::uint16_t Listeners::port(std::size_t index) const { return index < open_.size() ? open_[index].at.port() : 0; }

std::vector<int> Listeners::descriptors() const {
  std::vector<int> out;
  for (const auto& each : open_) out.insert(out.end(), each.descriptors.begin(), each.descriptors.end());
  return out;
}

}  // namespace headgate::server
