// The candidate policy: how it is set, dropped and promoted.

#include "gateway_program.hpp"
#include "server/workers.hpp"

#include "headgate/config/load.hpp"
#include "headgate/core/read_file.hpp"
#include "headgate/keyring/keyring.hpp"
#include "headgate/limit/memory_store.hpp"
#include "headgate/observe/event.hpp"
#include "headgate/server/server.hpp"
#include "headgate/services/limit_shape.hpp"

#include <boost/asio/post.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace headgate::server {
namespace {

constexpr std::size_t kLargestText = std::size_t{64} << 20U;
constexpr std::size_t kLongestName = 8192;

/// A candidate that an operator sent, or why it cannot be used.
struct ReadCandidate {
  std::optional<ReadyCandidate> ready;
  admin::ReloadResult result;
};

/// Returns the file that the body names; empty if the body is a configuration itself.
std::optional<std::string> file_in(const std::string& body) {
  if (body.size() > kLongestName) return std::nullopt;
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || json.size() != 1 || !json.contains("file") || !json["file"].is_string()) return std::nullopt;
  return json["file"].get<std::string>();
}

std::string directory_of(const std::string& file) { return std::filesystem::path(file).parent_path().string(); }

std::string why_no_text(const FileTrouble& trouble) {
  if (trouble.kind == FileTrouble::Kind::too_large) return "the file is larger than 64 MiB";
  if (trouble.kind == FileTrouble::Kind::system && trouble.error != ENOENT) return "the file cannot be read";
  return "there is no such file";
}

/// Reads a candidate. Relative paths begin at `directory`.
ReadCandidate read_candidate(const SideThread& side, const std::string& body, const std::string& name,
                             std::string directory, const config::Config& live) {
  ReadCandidate out;
  const auto fail = [&out](std::string why) {
    out.result.mistakes.emplace_back().message = std::move(why);
    return std::move(out);
  };
  std::string text;
  try {
    if (auto named = file_in(body)) {
      auto path = std::filesystem::path(*named);
      if (path.is_relative()) path = std::filesystem::path(directory) / path;
      out.result.file = path.string();
      auto content = read_file(path.string(), kLargestText);
      if (content.has_error()) return fail(why_no_text(content.error()));
      text = std::move(*content);
      directory = path.parent_path().string();
    } else {
      text = body;
      out.result.file = name;
    }
    auto loaded = config::load_candidate(text, directory, out.result.file);
    out.result.mistakes = std::move(loaded.diagnostics);
    if (!loaded.config) return out;
    for (const auto& key : admin::other_listeners(live, *loaded.config)) {
      auto& told = out.result.mistakes.emplace_back();
      told.severity = config::Severity::warning;
      told.message = "its \"" + key + "\" differs, and promote applies that only with --listeners";
    }
    out.ready = make_candidate(side, side.freed_here(new const config::Config(std::move(*loaded.config))), live);
    out.ready->text = body;
    out.ready->name = name;
    out.result.applied = true;
  } catch (const std::exception& failure) {
    return fail(failure.what());
  }
  return out;
}

/// Stores the candidate on disk for a restart, together with `over`, the candidate that the file names.
void keep(const CandidateRecord& record, const std::string& over, ReadCandidate& read) {
  if (!read.ready) return;
  auto& why = read.ready->not_kept;
  why = record.write({.text = read.ready->text, .name = read.ready->name, .over = over}).value_or("");
  if (why.empty()) return;
  auto& told = read.result.mistakes.emplace_back();
  told.severity = config::Severity::warning;
  told.message = "this candidate does not survive a restart: " + why;
}

void tell_not_kept(const std::string& why) {
  observe::event(observe::LogLevel::warning, "candidate_not_kept", why, {});
}

/// Returns the limits of the candidate that have no counters in the active configuration, or whose counters would begin
/// anew.
std::set<std::string> new_limits(const config::Config& live, const config::Config& candidate) {
  std::set<std::string> out;
  for (const auto& limit : candidate.limits) out.insert(limit.name);
  for (const auto& limit : live.limits) out.erase(limit.name);
  for (const auto& each : services::begun_anew(live, candidate)) out.insert(each.limit);
  return out;
}

}  // namespace

// Copies only counters of new limits, and only while there is room, so that no counter of the live policy is displaced.
void carry_counters(const services::ActiveConfig& live, const config::Config& promoted, limit::MemoryStore& to,
                    Instant now) {
  const auto limits = new_limits(*live.config, promoted);
  if (limits.empty() || !live.candidate) return;
  auto room = live.config->memory.max_keys - std::min(live.config->memory.max_keys, to.keys());
  live.candidate->state->memory.save(now, [&](const limit::SavedCounter& counter) {
    if (room == 0) return;
    const auto base = counter.limit.substr(0, counter.limit.find('@'));
    if (!limits.contains(counter.limit) && !limits.contains(base)) return;
    --room;
    (void)to.restore(counter, now);
  });
}

std::shared_ptr<const services::ActiveCandidate> beside(const SideThread& side,
                                                        const std::optional<ReadyCandidate>& candidate,
                                                        const services::ActiveConfig* before) {
  if (!candidate) return nullptr;
  const auto max_keys = candidate->written->memory.max_keys;
  auto out = std::make_shared<services::ActiveCandidate>();
  out->config = candidate->written;
  out->compiled = candidate->compiled;
  out->prices = candidate->prices;
  if (before != nullptr && before->candidate && before->candidate->state->max_keys == max_keys)
    out->state = before->candidate->state;
  else
    out->state = std::const_pointer_cast<gateway::CandidateState>(
        side.freed_here<gateway::CandidateState>(new gateway::CandidateState(max_keys)));
  return out;
}

redis::RedisOptions redis_of_candidate(const services::ActiveConfig& active) {
  auto options = *active.candidate->config->redis;
  options.key_prefix += kCandidatePrefix;
  options.tells = false;  // an outage of the candidate's Redis is not logged, because it does not affect callers
  options.workers = worker_count(active.config->workers);
  options.max_in_flight = std::min<std::uint32_t>(options.max_in_flight, gateway::Candidate::kMaxCalls);
  return options;
}

/// Begins a change and returns true. If a reload is under way, runs `again` after it and returns false. Also returns
/// false, without running `again`, if no change is possible any more.
bool GatewayProgram::begin_change(std::function<void()> again) {
  if (workers_ == nullptr || draining_) return false;
  if (reloading_) {
    after_reload_.push_back(std::move(again));
    return false;
  }
  reloading_ = true;
  return true;
}

/// Sets or drops the candidate beside the active configuration. A new candidate begins with empty counters.
void GatewayProgram::put_candidate(std::optional<ReadyCandidate> next) {
  use_candidate(std::move(next));
  auto active = std::make_shared<services::ActiveConfig>(*now_);
  active->candidate = beside(side_, candidate_, nullptr);
  now_ = std::move(active);
  if (now_->candidate) {
    now_ = with_credentials(side_, *now_, keyring_->now());
    now_ = with_overrides(side_, *now_, shared_.overrides->book().list(clock_.wall()));
  }
  services_.adopt(now_);  // otherwise a service would keep the counters of the previous candidate
  candidate_watch_.use(*now_, candidate_ && candidate_->by_file, false);
  shared_.operators.use_same(now_);
}

void GatewayProgram::tell_candidate(std::function<void()> then) {
  workers_->tell([next = now_](WorkerService& service) { static_cast<GatewayService&>(service).adopt(next); },
                 [this, &loop = loop_, then = std::move(then)] {
                   boost::asio::post(loop, [this, then] {
                     then();
                     ended_reload({});
                   });
                 });
}

void GatewayProgram::set_candidate(const std::string& body, const std::string& name, const Tell& tell) {
  if (!begin_change([this, body, name, tell] { set_candidate(body, name, tell); })) return;
  side_.run([this, &side = side_, &loop = loop_, body, name, tell, directory = directory_of_file(), live = now_->config,
             record = record_, over = file_->named_candidate] {
    const auto read = std::make_shared<ReadCandidate>(read_candidate(side, body, name, directory, *live));
    keep(record, over, *read);
    boost::asio::post(loop, [this, read, tell] {
      if (workers_ == nullptr) return;  // the workers have ended in the meantime
      if (!read->ready) {
        tell(read->result);
        return ended_reload({});
      }
      put_candidate(std::move(read->ready));
      tell_candidate([read, tell] { tell(read->result); });
    });
  });
}

void GatewayProgram::drop_candidate(const std::function<void(bool)>& tell) {
  if (!begin_change([this, tell] { drop_candidate(tell); })) return;
  if (!candidate_) {
    tell(false);
    return ended_reload({});
  }
  put_candidate(std::nullopt);
  tell_candidate([tell] { tell(true); });
}

void GatewayProgram::promote_candidate(const std::function<void(const std::optional<admin::ReloadResult>&)>& tell) {
  if (!begin_change([this, tell] { promote_candidate(tell); })) return;
  if (!candidate_) {
    tell(std::nullopt);
    return ended_reload({});
  }
  told_.push_back([tell](const admin::ReloadResult& result) { tell(result); });
  side_.run([this, &side = side_, &loop = loop_, written = candidate_->written] {
    const auto read = std::make_shared<ReadAgainConfig>(ready_to_promote(side, *written));
    boost::asio::post(loop, [this, read] {
      if (workers_ != nullptr) take(admin::ReloadFrom::candidate, std::move(*read), {});
    });
  });
}

void GatewayProgram::ask_candidate(const std::function<void(const std::optional<admin::CandidateDiff>&)>& tell) {
  if (workers_ == nullptr || !now_->candidate) return tell(std::nullopt);
  // The keys of all workers. Each worker adds its keys on its own thread.
  struct CandidateSketches {
    std::mutex mutex;
    std::vector<observe::LimitSketches> all;
  };
  const auto taken = std::make_shared<CandidateSketches>();
  workers_->tell(
      [taken](WorkerService& service) {
        auto more = static_cast<GatewayService&>(service).take_candidate_keys();
        const std::lock_guard lock(taken->mutex);
        for (auto& each : more) taken->all.push_back(std::move(each));
      },
      [this, &loop = loop_, taken, asked = now_->candidate->config, tell] {
        boost::asio::post(loop, [this, taken, asked, tell] {
          if (!now_->candidate) return tell(std::nullopt);
          // if another candidate was set in the meantime, the keys belong to the previous one
          if (now_->candidate->config == asked) candidate_watch_.add(taken->all);
          auto diff = candidate_watch_.diff(*now_);
          if (!candidate_->not_kept.empty())
            diff.candidate.notes.push_back("the candidate does not survive a restart: " + candidate_->not_kept);
          tell(std::move(diff));
        });
      });
}

/// Returns the directory of the file that was read last. A promoted configuration has no file, or another one.
std::string GatewayProgram::directory_of_file() const { return directory_of(file_ ? file_->file : now_->config->file); }

std::optional<HandoverCandidate> GatewayProgram::handover_candidate() const {
  if (candidate_ && !candidate_->text.empty()) return HandoverCandidate{candidate_->text, candidate_->name, false};
  if (!candidate_ && file_ && !file_->named_candidate.empty()) return HandoverCandidate{{}, {}, true};
  return std::nullopt;  // no operator changed it, so the next process gets the candidate from the file
}

std::shared_ptr<gateway::CandidateState> GatewayProgram::take_candidate(const HandoverCandidate& handed) {
  if (handed.dropped) {
    put_candidate(std::nullopt);
    return nullptr;
  }
  auto read = read_candidate(side_, handed.text, handed.name, directory_of_file(), *now_->config);
  if (!read.ready) {
    log_mistakes(read.result);
    return nullptr;
  }
  keep(record_, file_->named_candidate, read);  // an older version may not have written it
  if (!read.ready->not_kept.empty()) tell_not_kept("the candidate does not survive a restart: " + read.ready->not_kept);
  put_candidate(std::move(read.ready));
  return now_->candidate->state;
}

/// Restores the candidate that an operator had set. As in a reload, it stays in use only as long as the file names the
/// same candidate as when it was set.
void GatewayProgram::take_kept_candidate() {
  auto kept = record_.read();
  if (kept.has_error()) return tell_not_kept("the candidate that an operator had set was dropped: " + kept.error());
  if (!*kept) return;
  const auto& was = **kept;
  if (was.over != file_->named_candidate) {
    tell_not_kept(
        "the candidate that an operator had set was dropped: the key \"candidate\", or the file that it names, has "
        "changed");
    if (const auto why = record_.remove()) tell_not_kept(*why);
    return;
  }
  auto read = read_candidate(side_, was.text, was.name, directory_of_file(), *now_->config);
  if (read.ready) return put_candidate(std::move(read.ready));
  log_mistakes(read.result);
  tell_not_kept("the candidate that an operator had set can no longer be used; it is still in " + record_.path());
}

/// Uses `next` as the candidate. If an operator's candidate is no longer set, its record is removed, so that a restart
/// does not set it again. A record that another gateway with this file has written is not touched.
void GatewayProgram::use_candidate(std::optional<ReadyCandidate> next) {
  const auto of_operator = [](const auto& candidate) { return candidate && !candidate->by_file; };
  const auto before = std::exchange(candidate_, std::move(next));
  if (!of_operator(before) || of_operator(candidate_)) return;
  if (const auto why = record_.remove()) tell_not_kept("a restart will set the dropped candidate again: " + *why);
}

admin::CandidateCalls GatewayProgram::candidate_calls() {
  auto& operators = shared_.operators;
  return {.set =
              [this, &operators](std::string body, std::string name, Tell tell) {
                return operators.on_main_thread([this, body = std::move(body), name = std::move(name),
                                                 tell = std::move(tell)] { set_candidate(body, name, tell); });
              },
          .drop =
              [this, &operators](std::function<void(bool)> tell) {
                return operators.on_main_thread([this, tell = std::move(tell)] { drop_candidate(tell); });
              },
          .promote =
              [this, &operators](std::function<void(const std::optional<admin::ReloadResult>&)> tell) {
                return operators.on_main_thread([this, tell = std::move(tell)] { promote_candidate(tell); });
              },
          .ask =
              [this, &operators](std::function<void(const std::optional<admin::CandidateDiff>&)> tell) {
                return operators.on_main_thread([this, tell = std::move(tell)] { ask_candidate(tell); });
              }};
}

}  // namespace headgate::server
