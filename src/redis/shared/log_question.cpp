#include "log_question.hpp"

#include "scripts.hpp"

#include "headgate/redis/errors.hpp"

#include <chrono>
#include <utility>

namespace headgate::redis {
namespace {

constexpr std::chrono::milliseconds kMinLife = std::chrono::hours(24 * 31);
constexpr std::int64_t kMaxTime = std::int64_t{1} << 53;
constexpr std::size_t kMaxDigest = 40;

const Script& script_of_logs() noexcept {
  static const Script script{.text = shared_log_script(), .sha = shared_log_script_sha()};
  return script;
}

}  // namespace

LogQuestion::LogQuestion(const LogKind& kind, std::string_view key, TroubleLog& trouble)
    : ScriptQuestion(script_of_logs()), kind_(kind), key_(key), trouble_(trouble) {}

bool LogQuestion::heard(std::string_view trouble) {
  trouble_.failed(trouble);
  return true;
}

void AppendQuestion::write(std::vector<std::string>& out) const {
  const Instant now = headgate::now();
  const StreamId least = newest_ == 0 ? StreamId{} : id_above(newest_);
  out.assign({"1", std::string(key_), "append", std::string(kind_.field), std::to_string(least.milliseconds),
              std::to_string(least.number), std::to_string(RedisSharedLog::kMaxEntries), std::to_string(kept_.count()),
              std::to_string(kMinLife.count()), std::to_string(rest_of(entry_, now).count()),
              write_entry(entry_, now)});
}

Result<bool> AppendQuestion::read(const Reply& reply) {
  const auto id = reply.kind == Reply::Kind::text ? read_stream_id(reply.text) : std::nullopt;
  if (!id) return Errc::bad_reply;
  version = version_of(*id);
  trouble_.worked();
  return true;
}

void ReadQuestion::write(std::vector<std::string>& out) const {
  out.assign({"1", std::string(key_), "read", std::string(kind_.field), std::to_string(RedisSharedLog::kPage), from_.id,
              from_.digest});
}

Result<bool> ReadQuestion::read(const Reply& reply) {
  if (!take(reply.elements)) return Errc::bad_reply;
  trouble_.worked();
  return true;
}

/// Reads the reply, in which an array comes before its elements: Redis TIME, whether there is more, whether the log was
/// read from its beginning, the digest, and two elements for each entry.
bool ReadQuestion::take(std::span<const Reply::Element> all) {
  using Kind = Reply::Kind;
  news = {};
  unreadable = 0;
  if (all.size() < 5 || all.size() % 2 != 1 || all.size() > 5 + 2 * RedisSharedLog::kPage ||
      all[0].kind != Kind::array || all[1].kind != Kind::integer || all[2].kind != Kind::integer ||
      all[3].kind != Kind::integer || all[4].kind != Kind::text || all[4].text.size() > kMaxDigest)
    return false;
  const TwoClocks clocks{.redis = all[1].integer, .here = headgate::now()};
  if (clocks.redis < 0 || clocks.redis > kMaxTime) return false;
  news.more = all[2].integer != 0;
  news.from_beginning = all[3].integer != 0;
  LogPosition last = all[3].integer != 0 ? LogPosition{} : from_;
  const auto entries = all.subspan(5);
  if (news.more && entries.empty()) return false;  // otherwise the read would be repeated forever
  for (std::size_t i = 0; i < entries.size(); i += 2)
    if (!take_entry(entries[i], entries[i + 1], clocks)) return false;
  if (!entries.empty()) last = {.id = entries[entries.size() - 2].text, .digest = all[4].text};
  news.position = text_of(last);
  return true;
}

bool ReadQuestion::take_entry(const Reply::Element& name, const Reply::Element& entry, const TwoClocks& clocks) {
  const auto id = read_stream_id(name.text);
  if (!id || entry.kind != Reply::Kind::text) return false;
  if (auto read = read_entry(entry.text, clocks); read && kind_.readable(*read)) {
    read->version = version_of(*id);
    news.entries.push_back(std::move(*read));
  } else if (unreadable++ == 0) {
    first_unreadable = name.text;
  }
  return true;
}

void HearQuestion::write(std::vector<std::string>& out) const {
  const StreamId here = read_stream_id(position_.id).value_or(StreamId{});
  const StreamId asked = id_of(version_);
  out.assign({"1", std::string(key_), "hear", std::string(name_), std::to_string(here.milliseconds),
              std::to_string(here.number), std::to_string(asked.milliseconds), std::to_string(asked.number),
              std::to_string(RedisSharedLog::kPresent.count())});
}

Result<bool> HearQuestion::read(const Reply& reply) {
  using Kind = Reply::Kind;
  const auto& all = reply.elements;
  if (all.size() != 3 || all[0].kind != Kind::array || all[1].kind != Kind::integer || all[2].kind != Kind::integer ||
      all[1].integer < 0 || all[2].integer < all[1].integer)
    return Errc::bad_reply;
  told = {.heard = static_cast<std::size_t>(all[1].integer), .of = static_cast<std::size_t>(all[2].integer)};
  trouble_.worked();
  return true;
}

void LeaveQuestion::write(std::vector<std::string>& out) const {
  out.assign({"1", std::string(key_), "leave", std::string(name_)});
}

Result<bool> LeaveQuestion::read(const Reply& reply) {
  if (reply.kind != Reply::Kind::integer) return Errc::bad_reply;
  return true;
}

}  // namespace headgate::redis
