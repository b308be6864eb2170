#pragma once
// Simulates many clients at one limit. Each rejected client waits exactly as long as it is told to. The clock is
// virtual, so each run is the same.

#include "support/rules.hpp"

#include "headgate/limit/appointment.hpp"
#include "headgate/limit/memory_store.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <random>
#include <vector>

namespace headgate::test {

struct CrowdOptions {
  std::size_t clients = 10'000;
  Duration length = std::chrono::minutes(3);
  std::optional<limit::AppointmentTerms> appointments;
  double ignorant = 0;  ///< share of the clients that never send their appointment
  double absent = 0;    ///< share of the rejected clients that return a minute later than they are told to
};

struct CrowdResult {
  std::uint64_t requests = 0;
  std::uint64_t served = 0;
  std::vector<std::uint32_t> served_of;  ///< served requests of each client
  std::vector<Duration> waits;           ///< for each served request, the time since its first attempt
  std::vector<std::uint32_t> asked_in;   ///< requests in each tenth of a second
  std::vector<std::uint32_t> served_in;  ///< served requests in each tenth of a second

  /// Returns Jain's index: 1 if all clients were served equally often, 1/n if one of n clients got everything.
  double fairness() const {
    double sum = 0;
    double squares = 0;
    for (const double n : served_of) {
      sum += n;
      squares += n * n;
    }
    return sum * sum / (static_cast<double>(served_of.size()) * squares);
  }
  Duration wait_of(double share) const {
    auto sorted = waits;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? Duration(0)
                          : sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  }
  double never_served() const {
    return static_cast<double>(std::count(served_of.begin(), served_of.end(), 0U)) /
           static_cast<double>(served_of.size());
  }
};

/// The crowd. Each client sends its first request at the start, and another one a second after each answer. A request
/// takes up to 200 ms to reach the gateway, for one client always the same time. All clients share the limit of
/// "100/second".
class Crowd {
 public:
  explicit Crowd(const CrowdOptions& options) : options_(options) {
    std::uniform_int_distribution<std::int64_t> way(1'000, 200'000);
    result_.served_of.resize(options.clients);
    const auto tenths = static_cast<std::size_t>(options.length / std::chrono::milliseconds(100)) + 1;
    result_.asked_in.resize(tenths);
    result_.served_in.resize(tenths);
    for (std::uint32_t i = 0; i < options.clients; ++i) {
      clients_.push_back({.way = Duration(way(random_)),
                          .since = Duration(0),
                          .kept = {},
                          .ignorant = i < options.ignorant * static_cast<double>(options.clients)});
      events_.push({clients_.back().way, i});
    }
  }

  CrowdResult run() {
    while (!events_.empty() && events_.top().at < options_.length) {
      const auto [at, number] = events_.top();
      events_.pop();
      auto& client = clients_[number];
      ++result_.requests;
      ++result_.asked_in[tenth(at)];
      if (const auto wait = ask(client, at)) {
        const bool absent = std::uniform_real_distribution<>()(random_) < options_.absent;
        come_again(client, number, at,
                   in_seconds(*wait) + Duration(absent ? std::chrono::minutes(1) : std::chrono::minutes(0)));
        continue;
      }
      ++result_.served;
      ++result_.served_in[tenth(at)];
      ++result_.served_of[number];
      result_.waits.push_back(at - client.since);
      client.kept.reset();
      come_again(client, number, at, std::chrono::seconds(1));
      client.since = events_at_;
    }
    return std::move(result_);
  }

 private:
  struct Client {
    Duration way{0};
    Duration since{0};
    std::optional<limit::Appointment> kept;
    bool ignorant = false;
  };
  struct Event {
    Duration at;
    std::uint32_t client;
    bool operator<(const Event& other) const { return std::tie(at, client) > std::tie(other.at, other.client); }
  };

  static std::size_t tenth(Duration at) { return static_cast<std::size_t>(at / std::chrono::milliseconds(100)); }
  /// Rounds the wait as Retry-After does.
  static Duration in_seconds(Duration wait) {
    return std::chrono::ceil<std::chrono::seconds>(std::max(wait, Duration(1)));
  }

  void come_again(const Client& client, std::uint32_t number, Duration at, Duration wait) {
    events_at_ = at + 2 * client.way + wait;
    events_.push({events_at_, number});
  }

  /// Sends a request. Returns the time for which the client is told to wait if it is rejected; nothing if it is served.
  std::optional<Duration> ask(Client& client, Duration at) {
    const auto now = kStart + at;
    if (client.kept) {
      const auto arrived = limit::arrival(*client.kept, now);
      if (arrived == limit::Punctuality::early) return client.kept->from - now;
      if (arrived == limit::Punctuality::in_time) return std::nullopt;
      client.kept.reset();
    }
    auto check = make_check(rule_, "all");
    limit::Decision decision;
    if (store_.decide({&check, 1}, now, {&decision, 1})) return std::nullopt;
    const auto& terms = options_.appointments;
    if (!terms || decision.retry_after > terms->ahead) return decision.retry_after;
    check.how = limit::How::debt;
    store_.decide({&check, 1}, now, {&decision, 1});
    const auto from = limit::due({&check, 1}, {&decision, 1}, now);
    if (!client.ignorant) client.kept = limit::appoint(*terms, 1, now, from, ++ids_);
    return from - now;
  }

  CrowdOptions options_;
  std::mt19937_64 random_{11};
  limit::Rule rule_ = make_rule("100/second");
  limit::MemoryStore store_{{.max_keys = 1000}};
  std::vector<Client> clients_;
  std::priority_queue<Event> events_;
  Duration events_at_{0};
  std::uint64_t ids_ = 0;
  CrowdResult result_;
};

}  // namespace headgate::test
