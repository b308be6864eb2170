#include "top_service.hpp"

#include "server/admin/limits/ban_json.hpp"
#include "server/admin/limits/limit_keys.hpp"
#include "server/gateway_service.hpp"
#include "server/workers.hpp"

#include "headgate/gateway/key_source.hpp"

#include <boost/asio/post.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace headgate::server {
namespace {

using TopJson = nlohmann::ordered_json;

/// Half of the shortest period, so that what is counted falls into its period or the next one.
constexpr auto kCollectEvery = std::chrono::seconds(5);

/// Whether the log shows this part of a key in clear.
bool in_clear(const limit::Per& per, const std::vector<std::string>& callers) {
  const auto told = [&](const std::string& word) {
    return std::find(callers.begin(), callers.end(), word) != callers.end();
  };
  const auto word = per.source->word;
  if (word == "api_key") return told("owner");
  if (word == "jwt.") return told("jwt." + per.name);
  constexpr std::array<std::string_view, 7> kLogged{"client_ip", "route", "host", "upstream",
                                                    "method",    "path:", "total"};
  return std::find(kLogged.begin(), kLogged.end(), word) != kLogged.end();
}

/// Whether all parts of all keys that the limit may have are.
bool in_clear(const limit::Limit& limit, const std::vector<std::string>& callers) {
  const auto clear = [&](const std::vector<limit::Per>& key) {
    return std::all_of(key.begin(), key.end(), [&](const auto& per) { return in_clear(per, callers); });
  };
  return clear(limit.per) && std::all_of(limit.if_absent.instead.begin(), limit.if_absent.instead.end(), clear);
}

double rounded(double number, double steps) { return std::round(number * steps) / steps; }

TopJson json_of(const TopBoard::Answer& top, const limit::Limit& limit, const TopQuestion& question,
                const std::vector<std::string>& callers, const observe::Logs& logs) {
  auto keys = top.list.keys;
  std::sort(keys.begin(), keys.end(),
            [](const auto& a, const auto& b) { return a.count != b.count ? a.count > b.count : a.key < b.key; });
  if (keys.size() > question.most) keys.resize(question.most);
  const auto seconds = std::chrono::duration<double>(top.covered).count();
  TopJson out = {{"limit", limit.name},
                 {"mode", limit.mode == limit::Mode::observe ? "observe" : "enforce"},
                 {"by", question.by == TopBy::rejected ? "rejected" : "allowed"},
                 {"window", question.window == TopWindow::minute ? "1m" : "1h"},
                 {"seconds", rounded(seconds, 10)},
                 {"requests", top.list.total},
                 {"missed", top.list.missed},
                 {"sampled", question.by == TopBy::allowed ? observe::LimitTop::kSampled : 1U},
                 {"keys", TopJson::array()}};
  const bool clear = in_clear(limit, callers);
  for (const auto& each : keys) {
    TopJson row;
    if (clear) row["key"] = written_key(limit, each.key);
    row["key_id"] = logs.key_id(each.key);
    row["requests"] = each.count;
    row["share"] = rounded(static_cast<double>(each.count) / static_cast<double>(top.list.total), 10'000);
    row["per_second"] = seconds > 0 ? rounded(static_cast<double>(each.count) / seconds, 100) : 0.0;
    out["keys"].push_back(std::move(row));
  }
  return out;
}

}  // namespace

void TopService::start(Workers& workers) {
  workers_ = &workers;
  arm();
}

void TopService::stop() {
  workers_ = nullptr;
  timer_.cancel();
  const std::lock_guard lock(mutex_);
  closed_ = true;
}

void TopService::arm() {
  timer_.expires_after(kCollectEvery);
  timer_.async_wait([this](const boost::system::error_code& ec) {
    if (ec || workers_ == nullptr) return;
    collect({});
    arm();
  });
}

/// Each worker hands over its own sketches between two of its steps, so nobody waits for anybody.
void TopService::collect(std::function<void()> then) {
  using Parts = std::vector<std::vector<observe::TakenTop>>;
  if (workers_ == nullptr) return;
  const auto parts = std::make_shared<Parts>(workers_->count());
  workers_->tell(
      [parts](Service& service) {
        auto& gateway = static_cast<GatewayService&>(service);
        parts->at(gateway.worker()) = gateway.take_tops();
      },
      [self = shared_from_this(), parts, then = std::move(then)] {
        boost::asio::post(self->loop_, [self, parts, then] {
          for (const auto& part : *parts) self->board_.add(part, std::chrono::steady_clock::now());
          if (then) then();
        });
      });
}

void TopService::ask(const TopQuestion& question, Tell tell) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  boost::asio::post(loop_, [self = shared_from_this(), question, tell = std::move(tell)] {
    self->collect([self, question, tell] { tell(self->answer(question)); });
  });
}

/// The names that this limit counts under: its own, and those of routes with a scale, as "plan@search".
std::vector<std::string> TopService::names_of(const std::string& limit,
                                              const std::optional<std::string>& wanted) const {
  const auto scaled = limit + '@';
  std::vector<std::string> out{limit};
  if (wanted && wanted->starts_with(scaled)) out.push_back(*wanted);  // before the first request nothing is counted
  if (!wanted)
    for (auto& counted : board_.names(scaled)) out.push_back(std::move(counted));
  return out;
}

AdminAnswer TopService::answer(const TopQuestion& question) const {
  const auto now = std::chrono::steady_clock::now();
  TopJson all = TopJson::array();
  for (const auto& limit : config_->limits) {
    for (const auto& name : names_of(limit.name, question.limit)) {
      if (question.limit && name != *question.limit) continue;
      const auto top = board_.of(name, question.by, question.window, now);
      auto json = json_of(top, limit, question, config_->log.callers, logs_);
      json["limit"] = name;
      if (question.limit) return {.body = text_of(json), .type = "application/json"};
      all.push_back(std::move(json));
    }
  }
  if (question.limit) return {.status = 404, .body = "No limit here has this name."};
  return {.body = text_of({{"limits", std::move(all)}}), .type = "application/json"};
}

}  // namespace headgate::server
