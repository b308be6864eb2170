// The tiers of a limit, and the rules of each tier: keys of the file, and the options that they make.

#include "config/build.hpp"
#include "config/formats/calendars.hpp"
#include "config/limits/size_docs.hpp"
#include "config/limits/told_size.hpp"
#include "config/table.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/limit/algorithm.hpp"
#include "headgate/limit/in_flight.hpp"
#include "headgate/limit/quota.hpp"

namespace headgate::config {
namespace {

constexpr Shape kRate{.form = Shape::Form::rate, .what = "a rate"};
constexpr Shape kRates = list("a list of rates", kRate, 1, 8);
constexpr const Shape* kRateForms[] = {&kRate, &kRates};
constexpr const Shape* kLimitRateForms[] = {&kRate, &kRates, &kRateFrom};
constexpr std::string_view kTierSizes[] = {"rate", "in_flight"};
constexpr Key kTierKeys[] = {
    {"rate", &kRateOrRates, "", R"("60/minute")", kRateDoc},
    {"in_flight", &kFlights, "", "20", kInFlightDoc},
    {"burst", &kBurst, "", "100", kBurstDoc},
    {"wait", &kDuration, "", R"("500ms")", "Like `wait` of the limit, for this tier"},
    {"queue", &kFlightQueueLength, "", "100", "Like `queue` of the limit, for this tier"},
    {"priority", &kPriorityShape, "", R"("critical")",
     "Priority of the tier's requests, see `routes[].priority`. If several limits give one, the first limit of the "
     "route decides"},
};
constexpr Section kTier{.name = "tier",
                        .path = "limits.<name>.tiers.<name>",
                        .doc = R"(One size of a limit, or `"unlimited"`.)",
                        .keys = kTierKeys,
                        .one_of = kTierSizes};
constexpr Shape kTierObject = section(kTier);
constexpr Shape kTierWord = choice(kUnlimited);
constexpr const Shape* kTierForms[] = {&kTierObject, &kTierWord};
constexpr Shape kTierShape = either("an object or \"unlimited\"", kTierForms);

}  // namespace

constexpr Shape kRateOrRates = either("a rate or a list of rates", kRateForms);
constexpr Shape kLimitRate = either("a rate, a list of rates, or an object", kLimitRateForms);
constexpr Shape kBurst = integer(1, kMaxRequests);
constexpr Shape kFlights = integer(1, 1'000'000'000);
constexpr Shape kFlightQueueLength = integer(1, limit::kMaxFlightQueue);
constexpr Shape kTiers = map("an object of tiers by name", kTierShape, 1);
constexpr Shape kTierFrom{
    .form = Shape::Form::text, .what = "a source of the tier", .check = check_tier_from, .registered = tier_words};
constexpr Shape kTierName = text("a tier's name");

namespace {

using limit::PeriodInKey;
using limit::Rule;

class TierBuilder {
 public:
  TierBuilder(Build& build, const Node& node, limit::Limit& out)
      : build_(build), report_(build.report), node_(node), out_(out), calendars_(build, node) {
    const Node* name = text_at(&node, "algorithm");
    algorithm_ = limit::find_algorithm(name == nullptr ? limit::kDefaultAlgorithm : std::string_view(name->text));
    if (const Node* window = text_at(&node, "window")) from_first_use_ = window->text == kWindows[1];
  }

  void run() {
    if (const Node* window = find(&node_, "window"); from_first_use_ && algorithm_ && !algorithm_->by_calendar)
      report_.error_at_key(
          code::kConflict, *window,
          "\"window\" is for the algorithm \"fixed_window\": other algorithms have no windows with a beginning",
          R"(add "algorithm": "fixed_window", or remove it)");
    const Node* tiers = find(&node_, "tiers");
    if (tiers == nullptr) {
      refuse_without_tiers("tier_from");
      refuse_without_tiers("default_tier");
      out_.tiers.push_back({"", rules(node_, PeriodInKey::no)});
      if (const auto told = read_told_rate(build_, node_); told && algorithm_) take_told(*told);
    } else {
      for (const Node* each : tiers->children) out_.tiers.push_back({each->key, rules(*each, PeriodInKey::yes)});
      choose_default(*tiers);
      demand("tier_from", R"("jwt.plan")");
      if (const Node* burst = find(&node_, "burst")) {
        report_.error_at_key(code::kConflict, *burst, "\"burst\" belongs to a tier if a limit has tiers",
                             "write it beside the tier's \"rate\"");
      }
    }
    if (out_.tiers.empty()) out_.tiers.emplace_back();  // already reported; the rest is still checked
    check_in_flight();
    calendars_.check_used();
  }

 private:
  // A limit counts either requests in flight or rates, and the keys for rates have no meaning for requests in flight.
  void check_in_flight() {
    const Node* flights = nullptr;
    const Node* rates = nullptr;
    const auto note = [&](const Node& section) {
      if (const Node* found = find(&section, "in_flight")) flights = found;
      if (const Node* found = find(&section, "rate")) rates = found;
    };
    note(node_);
    for (const Node* each : children(find(&node_, "tiers"), Kind::object)) note(*each);
    check_queues();
    if (flights == nullptr) return;
    if (rates != nullptr && find(&node_, "tiers") != nullptr) {
      report_.error_at_key(code::kConflict, *rates, "the tiers of one limit have \"rate\" or \"in_flight\", not both",
                           "write two limits");
    }
    for (const char* key :
         {"burst", "algorithm", "window", "time_zone", "leases", "count", "count_rejected", "notify_at"}) {
      if (const Node* written = find(&node_, key)) refuse_beside_in_flight(*written);
      for (const Node* each : children(find(&node_, "tiers"), Kind::object))
        if (const Node* written = find(each, key)) refuse_beside_in_flight(*written);
    }
  }

  // Only requests that wait for a permit in flight are queued.
  void check_queues() {
    const auto check = [&](const Node& section) {
      const Node* queue = find(&section, "queue");
      if (queue == nullptr) return;
      const bool waits = find(&section, "wait") != nullptr || find(&node_, "wait") != nullptr;
      const bool flies = find(&section, "in_flight") != nullptr || (&section == &node_ && any_tier_in_flight());
      if (flies && waits) return;
      report_.error_at_key(
          code::kConflict, *queue,
          flies ? "\"queue\" has no effect without \"wait\""
                : "\"queue\" has no meaning for a rate: only \"in_flight\" limits have a queue",
          flies ? "say how long a request may wait, as in \"wait\": \"2s\", or remove it" : "remove it");
    };
    check(node_);
    for (const Node* each : children(find(&node_, "tiers"), Kind::object)) check(*each);
  }

  bool any_tier_in_flight() const {
    const auto tiers = children(find(&node_, "tiers"), Kind::object);
    return std::any_of(tiers.begin(), tiers.end(), [](const Node* each) { return find(each, "in_flight") != nullptr; });
  }

  void refuse_beside_in_flight(const Node& written) {
    report_.error_at_key(code::kConflict, written,
                         in_quotes(written.key) + " has no meaning for an \"in_flight\" limit", "remove it");
  }

  void refuse_without_tiers(const char* key) {
    const Node* written = find(&node_, key);
    if (written == nullptr) return;
    report_.error_at_key(code::kConflict, *written, in_quotes(key) + " has no effect without \"tiers\"",
                         "write \"tiers\" instead of \"rate\", or remove it");
  }

  void demand(const char* key, const std::string& example) {
    if (find(&node_, key) != nullptr) return;
    report_.error(code::kMissing, {node_.span.begin, node_.span.begin + 1}, pointer(node_),
                  in_quotes(key) + " is missing here", "add " + in_quotes(key) + ": " + example);
  }

  void choose_default(const Node& tiers) {
    const auto names = children(&tiers, Kind::object);
    demand("default_tier", names.empty() ? R"("free")" : in_quotes(names.front()->key));
    const Node* written = text_at(&node_, "default_tier");
    if (written == nullptr) return;
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const Node* each) { return each->key == written->text; });
    if (found != names.end()) {
      out_.default_tier = static_cast<std::size_t>(found - names.begin());
    } else if (written->replaced) {
      report_.error(code::kUnresolved, *written,
                    "the value of " + in_quotes(written->written) + " is not the name of a tier here");
    } else {
      report_.error(code::kUnresolved, *written, "no tier here is named " + in_quotes(written->written),
                    suggestion(written->text, names, report_));
    }
  }

  /// Returns the rules of a limit or of a tier, which have the same keys. An unlimited tier has none.
  std::vector<Rule> rules(const Node& section, PeriodInKey period) {
    std::vector<Rule> out;
    const auto rates = texts(find(&section, "rate"));
    const Node* burst = find(&section, "burst");
    if (burst != nullptr && rates.size() > 1) {
      report_.error_at_key(code::kConflict, *burst,
                           "\"burst\" belongs to one rate, and \"rate\" lists " + std::to_string(rates.size()),
                           "write a limit for each rate, or leave \"burst\" out");
    }
    if (find(&section, "in_flight") != nullptr) out.push_back(flight_rule(section));
    if (const Node* balance = find(&section, "balance")) return {balance_rule(*balance, out_)};
    if (algorithm_ == nullptr) return out;
    for (const Node* each : rates) {
      const auto rate = parse_rate(each->text);
      if (rate.has_error()) continue;
      auto rule = make_rule(section, *each, *rate, rates.size() > 1, period);
      if (rule && !stands_already(*each, *rule, out)) out.push_back(std::move(*rule));
    }
    return out;
  }

  /// Adds the rule of a limit whose callers tell its size. Each size must be one that the algorithm allows.
  void take_told(const ToldRate& told) {
    auto& rules = out_.tiers.back().rules;
    auto rule = make_rule(node_, *told.at, told.otherwise, false, PeriodInKey::no);
    if (!rule) return;
    out_.size_from = told.size;
    if (find(&node_, "burst") != nullptr) out_.size_from->burst = rule->burst;
    for (const std::uint64_t count : {std::uint64_t{1}, told.size.most}) {
      Rule other = *rule;
      other.rate.count = count;
      other.burst = out_.size_from->burst.value_or(algorithm_->default_burst(other));
      if (const auto fault = algorithm_->check(other)) {
        report_.error(code::kAlgorithm, *told.at, fault->message, fault->help);
        break;
      }
    }
    rules.push_back(std::move(*rule));
  }

  Rule flight_rule(const Node& section) const {
    Rule rule;
    rule.limit = out_.name;
    rule.version = out_.version;
    rule.algorithm = &limit::in_flight;
    read_number(&section, "in_flight", rule.burst);
    rule.burst = std::max<std::uint64_t>(rule.burst, 1);  // 0 is already reported
    read(&node_, "wait", rule.wait);
    read(&section, "wait", rule.wait);
    rule.queue = static_cast<std::uint32_t>(std::min<std::uint64_t>(rule.burst, limit::kMaxFlightQueue));
    read_number(&node_, "queue", rule.queue);
    read_number(&section, "queue", rule.queue);
    rule.rate = {rule.burst, limit::kFlightLease};
    limit::name_rule(rule, false, PeriodInKey::no);
    return rule;
  }

  std::optional<Rule> make_rule(const Node& section, const Node& node, const Rate& rate, bool one_of_several,
                                PeriodInKey period) {
    Rule rule;
    rule.limit = out_.name;
    rule.version = out_.version;
    rule.rate = rate;
    rule.algorithm = algorithm_;
    rule.glitches = out_.glitches;
    rule.unit = out_.unit;
    rule.from_first_use = from_first_use_;
    rule.count_rejected = out_.count_rejected;
    read(&node_, "wait", rule.wait);
    read(&section, "wait", rule.wait);
    if (!calendars_.find(node, rate, rule.calendar)) return std::nullopt;
    rule.burst = algorithm_->default_burst(rule);
    if (!one_of_several) read_number(&section, "burst", rule.burst);
    limit::name_rule(rule, one_of_several, period);
    std::string_view leases = "auto";
    if (const Node* written = text_at(&node_, "leases")) leases = written->text;
    rule.leases = leases == "auto" && out_.store == limit::Store::redis && out_.mode == limit::Mode::enforce &&
                  algorithm_->leasable && rule.wait.count() == 0 && !rule.count_rejected &&
                  (!algorithm_->by_window || rule.burst == rule.rate.count);
    if (const auto fault = algorithm_->check(rule)) {
      report_.error(code::kAlgorithm, culprit(section, node, rule), fault->message, fault->help);
      return std::nullopt;
    }
    return rule;
  }

  // Two rates with the same period would share one counter, and the lower one would always reject first.
  bool stands_already(const Node& node, const Rule& rule, const std::vector<Rule>& before) {
    const auto twin = std::find_if(before.begin(), before.end(), [&](const Rule& each) {
      return each.rate.period == rule.rate.period && each.rate.month == rule.rate.month;
    });
    if (twin == before.end()) return false;
    const bool same = twin->rate.count == rule.rate.count;
    report_.error(
        code::kDuplicate, node,
        same ? "this rate appears twice in this list"
             : in_quotes(to_text(twin->rate)) + " has the same period, and the smaller of the two always rejects first",
        same ? "remove one of the two" : "remove the larger");
    return true;
  }

  // Returns the key that makes the rule invalid: without this key the rule would be valid.
  const Node& culprit(const Node& section, const Node& rate, Rule rule) const {
    const Node* wait = find(&section, "wait") != nullptr ? find(&section, "wait") : find(&node_, "wait");
    const Node* burst = find(&section, "burst");
    const auto own = rule.burst;
    rule.burst = algorithm_->default_burst(rule);
    if (burst != nullptr && !algorithm_->check(rule)) return *burst;
    rule.burst = own;
    rule.wait = Duration(0);
    if (wait != nullptr && !algorithm_->check(rule)) return *wait;
    return burst == nullptr ? rate : *burst;
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  limit::Limit& out_;
  Calendars calendars_;
  const limit::Algorithm* algorithm_ = nullptr;
  bool from_first_use_ = false;
};

}  // namespace

void build_tiers(Build& build, const Node& node, limit::Limit& out) { TierBuilder(build, node, out).run(); }

}  // namespace headgate::config
