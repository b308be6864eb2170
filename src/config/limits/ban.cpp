// Builds the options of suspensions by a limit from the keys of the file, and reports contradictions.

#include "config/build.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/hash.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/ban_table.hpp"

#include <algorithm>
#include <variant>

namespace headgate::config {
namespace {

/// The text appears in JSON, in HTML and in a field of gRPC.
std::optional<LiteralError> check_ban_detail(std::string_view text) {
  constexpr std::size_t kLongest = 300;
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (text.empty() || text.size() > kLongest || std::any_of(text.begin(), text.end(), control))
    return LiteralError{"this text cannot be sent to callers", "write 1 to 300 bytes of text on one line"};
  return std::nullopt;
}

constexpr Shape kBanAfter = integer(1, 1'000);
constexpr Shape kBanStatus = integer(400, 499);
constexpr std::string_view kBanCloses[] = {"close"};
constexpr Shape kBanClose = choice(kBanCloses);
constexpr const Shape* kBanAnswerForms[] = {&kBanStatus, &kBanClose};
constexpr Shape kBanAnswer = either("a status or \"close\"", kBanAnswerForms);
constexpr Shape kBanDetail = text("a sentence", check_ban_detail);
constexpr Key kBanKeys[] = {
    {"after", &kBanAfter, "", "20", "Offences within `within` that suspend a key", required},
    {"within", &kDuration, "1m", R"("1m")", "Time in which the offences are counted"},
    {"for", &kDuration, "", R"("10m")", "Duration of the first suspension; it doubles with each further one",
     into<&limit::BanPolicy::first>, required},
    {"at_most", &kDuration, "24h", R"("24h")",
     "Longest suspension, at most 31 days. After this time without a suspension, a key starts with `for` again",
     into<&limit::BanPolicy::longest>},
    {"status", &kCountedStatuses, "", "[401, 403]",
     "Answer statuses that are offences. Default: each rejection by this limit is an offence"},
    {"answer", &kBanAnswer, "429", R"("close")",
     "Status for suspended callers, with `Retry-After`. `close` sends no answer: it closes the HTTP/1.1 connection or "
     "resets the HTTP/2 stream",
     into<&limit::BanPolicy::status>},
    {"detail", &kBanDetail, "", R"("Too many wrong passwords. Write to help@example.com.")",
     "Sentence for suspended callers, in place of the usual one", into<&limit::BanPolicy::detail>},
};
constexpr Section kBan{"ban", "limits.<name>.ban", "When a key is suspended, and for how long.", kBanKeys};

}  // namespace

constexpr Shape kBanShape = section(kBan);

namespace {

using limit::Limit;
using limit::Rule;

/// Returns the rule that counts the offences, beside the rules of the limit. The rule is exact, so that "20 within a
/// minute" means just that.
Rule offence_rule(const Limit& limit, std::uint64_t after, Duration within) {
  Rule rule;
  rule.limit = limit.name;
  rule.name = "ban";
  rule.rate = {after, within};
  rule.burst = after;
  rule.algorithm = limit::find_algorithm("sliding_log");
  rule.version = limit.version;
  limit::name_rule(rule, false, limit::PeriodInKey::no);
  rule.suffix += ":ban";  // no period has this name
  rule.seed = stable_hash(rule.suffix);
  return rule;
}

/// Returns the longest time after which a rejected caller is allowed again.
Duration longest_wait(const Limit& limit) {
  Duration longest{0};
  for (const auto& tier : limit.tiers) {
    for (const auto& rule : tier.rules) {
      if (!rule.algorithm->refills) continue;
      const auto count = static_cast<std::int64_t>(std::max<std::uint64_t>(rule.rate.count, 1));
      longest = std::max(longest, rule.algorithm->even ? rule.rate.period / count : rule.rate.period);
    }
  }
  return longest;
}

class BanBuilder {
 public:
  BanBuilder(Build& build, const Node& node, Limit& out)
      : build_(build), report_(build.report), node_(node), out_(out) {}

  void run() {
    auto& ban = out_.ban.emplace();
    std::uint64_t after = 1;
    Duration within = std::chrono::minutes(1);
    ban.longest = Duration(0);
    read_number(&node_, "after", after);
    read(&node_, "within", within);
    fill(&node_, kBan, ban);
    const bool told = ban.longest > Duration(0);
    if (!told) ban.longest = std::max<Duration>(std::chrono::hours(24), ban.first);
    ban.statuses = read_statuses(find(&node_, "status"));
    check_answer(ban);
    ban.offences = offence_rule(out_, std::max<std::uint64_t>(after, 1), within);
    check_lengths(ban, told ? text_at(&node_, "at_most") : nullptr);
    check_callers();
  }

 private:
  void check_answer(limit::BanPolicy& ban) {
    ban.closes = text_at(&node_, "answer") != nullptr;
    const Node* detail = find(&node_, "detail");
    if (ban.closes && detail != nullptr)
      report_.error_at_key(code::kConflict, *detail,
                           "nobody gets this text: with \"answer\": \"close\" there is no answer",
                           "remove one of the two");
  }

  /// `most` is the node of the longest suspension; null if there is none, or none that could be read.
  void check_lengths(const limit::BanPolicy& ban, const Node* most) {
    const Node* first = text_at(&node_, "for");
    const Node* longest = most != nullptr ? most : first;
    if (longest != nullptr && ban.longest > limit::BanTable::kRemembered) {
      report_.error(code::kConflict, *longest, "a suspension lasts 31 days at most",
                    "refuse such a caller for good where its key is issued, or in front of headgate");
    }
    if (most != nullptr && ban.longest < ban.first) {
      report_.error(code::kConflict, *most, "this is shorter than the first suspension, " + to_text(ban.first),
                    R"(write at least "at_most": ")" + to_text(ban.first) + '"');
    }
    if (ban.statuses.empty() && first != nullptr && ban.first > Duration(0) && ban.first < longest_wait(out_)) {
      report_.warning(code::kNoEffect, *first,
                      "the limit itself can reject for " + to_text(longest_wait(out_)) +
                          ", so a caller that comes back after its suspension may be rejected at once",
                      R"(write at least "for": ")" + to_text(longest_wait(out_)) + '"');
    }
  }

  void check_callers() {
    const auto everybody = [](const limit::Per& per) { return per.source->counts == gateway::Counts::everybody; };
    if (!out_.per.empty() && std::all_of(out_.per.begin(), out_.per.end(), everybody)) {
      report_.error_at_key(code::kConflict, node_, "this limit counts all callers together, and would suspend them all",
                           R"(count by caller, as in "per": "client_ip", or remove it)");
    }
    const auto any_address = [](const identity::Network& network) {
      return std::visit([](const auto& block) { return block.prefix_length() == 0; }, network);
    };
    for (const auto& each : build_.config.gateway.exemptions) {
      if (each.limit != out_.name || std::none_of(each.addresses.begin(), each.addresses.end(), any_address)) continue;
      report_.error_at_key(code::kConflict, node_, "nobody can be suspended: every address is exempt from this limit",
                           "exempt fewer addresses, or remove \"ban\"");
    }
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  Limit& out_;
};

}  // namespace

void build_ban(Build& build, const Node& node, Limit& out) {
  const Node* written = find(&node, "ban");
  if (written == nullptr || written->kind != Kind::object) return;
  BanBuilder(build, *written, out).run();
}

}  // namespace headgate::config
