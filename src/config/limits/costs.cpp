// How a route uses a limit: its cost and its scale.

#include "config/build.hpp"
#include "config/formats/formats.hpp"
#include "config/table_shapes.hpp"
#include "config/text/codes.hpp"
#include "config/values.hpp"

#include "headgate/core/text.hpp"
#include "headgate/gateway/cost_source.hpp"
#include "headgate/limit/scale.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace headgate::config {
namespace {

constexpr Shape kMethodCost = integer(0, kMaxRequests);
constexpr Shape kMethodCosts = map("an object of costs by method", kMethodCost, 1, check_method);
constexpr Shape kPositive = integer(1, kMaxRequests);

const Shape& shape_of(const gateway::CostSource& source) {
  switch (source.takes) {
    case gateway::CostTakes::methods:
      return kMethodCosts;
    case gateway::CostTakes::field:
      return kHeaderName;
    case gateway::CostTakes::text:
      break;
  }
  return kText;
}

/// Returns, for example, "With `header` and `response_header`": the sources that match.
std::string with_those(bool (*are)(const gateway::CostSource& source)) {
  std::vector<std::string> words;
  for (const auto* const source : gateway::cost_sources())
    if (are(*source)) words.push_back('`' + std::string(source->word) + '`');
  const auto last = words.back();
  words.pop_back();
  return "With " + joined(words, ", ") + (words.empty() ? "" : " and ") + last;
}

constexpr Shape kPointer = text("a JSON pointer", check_pointer);
constexpr Shape kBytesOfInput = integer(1, 1'000'000);
constexpr Key kHoldKeys[] = {
    {"body", &kPointer, "", R"("/max_tokens")",
     "Pointer (RFC 6901) to the largest output in the request's body, such as its `max_tokens`",
     into<&gateway::Cost::hold, &gateway::Hold::pointer>},
    {"input", &kBytesOfInput, "", "4",
     "Bytes of text in the request's body that are added as one permit; a picture or a file is added as 1600. With "
     "`usage`, a number above 1 is learned for each key, and begins with this one. Default: the input is not added",
     into<&gateway::Cost::hold, &gateway::Hold::input>},
    {"otherwise", &kPositive, "", "500",
     "Output that is held if the body does not say it, or cannot be read. Required without `learned`; with it, the "
     "output that is held before the first call of a key. Default: `most` is held",
     into<&gateway::Cost::default_value>},
    {"extend", &kBoolean, kOfOptions, "true",
     "With `usage`: whether a stream that has used its hold needs more permits to go on. If its limit has none left, "
     "the stream ends as if the model had reached its largest output",
     into<&gateway::Cost::hold, &gateway::Hold::extends>},
    {"learned", &kBoolean, kOfOptions, "true",
     "With `usage`: whether the largest output of the last 8 calls of a key is held, if it is smaller than the output "
     "that the request allows",
     into<&gateway::Cost::hold, &gateway::Hold::learned>},
    {"clamp", &kBoolean, kOfOptions, "true",
     "With `usage` or `body`: whether a request whose hold does not fit passes with a smaller maximum of output, which "
     "headgate writes into its body",
     into<&gateway::Cost::hold, &gateway::Hold::clamp>},
    {"at_least", &kPositive, "", "100", "With `clamp`: the smallest maximum that is written (required)",
     into<&gateway::Cost::hold, &gateway::Hold::at_least>},
};
constexpr Section kHold{"hold", "routes[].limits[].cost.hold", "What is held until the answer gives its cost.",
                        kHoldKeys};
constexpr Shape kHoldObject = section(kHold);
constexpr std::string_view kLearned[] = {"learned"};
constexpr Shape kLearnedWord = choice(kLearned);
constexpr const Shape* kHoldForms[] = {&kPositive, &kLearnedWord, &kHoldObject};
constexpr Shape kHoldShape = either("a whole number, \"learned\" or an object", kHoldForms);

constexpr WordsUpTo<gateway::OnHangup::drain> kOnHangup({"cancel", "drain"});
constexpr Shape kOnHangupShape = choice(kOnHangup);

/// The keys of `cost`: one for each source, and the keys that complete them.
struct CostKeys {
  std::vector<std::string_view> forms;
  std::string otherwise = with_those([](const auto& source) { return source.known == gateway::CostKnown::before; }) +
                          ": the cost if none is given";
  std::string settled = with_those([](const auto& source) { return source.known != gateway::CostKnown::before; });
  std::string hold = settled +
                     ": permits that are reserved before the request, and charged if the answer does not give a cost, "
                     "unless the server failed";
  std::string most = with_those([](const auto& source) { return source.takes != gateway::CostTakes::methods; }) +
                     ": the largest cost (required); larger values count as this";
  std::string debt = settled +
                     ": whether a cost above the remaining permits becomes a debt, so that requests are rejected until "
                     "it is paid off. `false`: the excess is not charged";
  std::vector<Key> keys;

  CostKeys() {
    for (const auto* const source : gateway::cost_sources()) {
      forms.push_back(source->word);
      keys.push_back({source->word, &shape_of(*source), "", source->example, source->doc});
    }
    keys.push_back({"otherwise", &kPositive, kOfOptions, "1", otherwise, into<&gateway::Cost::default_value>});
    keys.push_back({"hold", &kHoldShape, "", "500", hold});
    keys.push_back({"most", &kPositive, "", "100000", most, into<&gateway::Cost::most>});
    keys.push_back({"unpriced", &kPositive, "", "50000",
                    "With `usage` and a limit that counts `money`: the cost of a call whose model has no price, in "
                    "micro-units. Default: such a call is refused",
                    into<&gateway::Cost::unpriced>});
    keys.push_back({"ask_usage", &kBoolean, kOfOptions, "true",
                    "With `usage` `openai`: whether streams that would report no usage are asked for it "
                    "(`stream_options.include_usage`). The client does not get the additional chunk",
                    into<&gateway::Cost::ask_usage>});
    keys.push_back({"debt", &kBoolean, kOfOptions, "true", debt, into<&gateway::Cost::debt>});
    keys.push_back({"on_hangup", &kOnHangupShape, kOfOptions, R"("drain")",
                    "With a cost from the answer's body, if the client leaves before the answer has ended: `cancel` "
                    "ends the request at the server, `drain` reads the answer to its end, so that its cost is known",
                    into<&gateway::Cost::on_hangup>});
  }
};

const CostKeys& cost_keys() {
  static const CostKeys keys;
  return keys;
}

const Section kCost{.name = "cost",
                    .path = "routes[].limits[].cost",
                    .doc = "A cost that depends on the request or its answer.",
                    .keys = cost_keys().keys,
                    .one_of = cost_keys().forms};
constexpr Shape kCostObject = section(kCost);
constexpr const Shape* kAllCostForms[] = {&kPositive, &kCostObject};
constexpr Shape kCostShape = either("a whole number or an object", kAllCostForms);
constexpr Shape kScale = text("a fraction", check_scale);
constexpr Shape kUsedLimit = text("a limit's name");
constexpr Key kUseKeys[] = {
    {"use", &kUsedLimit, "", R"("per-ip")", "Name of the limit", into<&gateway::LimitUse::limit>, required},
    {"cost", &kCostShape, "1", "10", "Permits that one request takes: a number, or an object",
     into<&gateway::LimitUse::cost, &gateway::Cost::default_value>},
    {"scale", &kScale, "", R"("1/10")",
     "Gives the route its own counters, with this fraction or multiple of the limit"},
};
constexpr Section kUse{"limit_use", "routes[].limits[]", "A limit with a cost or size of its own.", kUseKeys};
constexpr Shape kUseObject = section(kUse);
constexpr const Shape* kUseForms[] = {&kUsedLimit, &kUseObject};
constexpr Shape kUseShape = either("a limit's name or an object", kUseForms);

}  // namespace

constexpr Shape kLimitUses = list("a list of limits", kUseShape, 0);

namespace {

using gateway::Cost;

using gateway::CostSource;
using gateway::CostTakes;

class CostBuilder {
 public:
  CostBuilder(Build& build, const Node& node, Cost& out)
      : build_(build), report_(build.report), node_(node), out_(out) {}

  void run() {
    const auto sources = gateway::cost_sources();
    const auto found =
        std::ranges::find_if(sources, [&](const CostSource* each) { return find(&node_, each->word) != nullptr; });
    if (found == sources.end()) return;
    out_.from = *found;
    const auto& source = **found;
    const bool settles = is_settled(out_);
    fill(&node_, kCost, out_);
    if (settles) {  // "hold" replaces "otherwise", which does not apply to a cost from the answer
      out_.default_value = Cost().default_value;
      if (const Node* hold = find(&node_, "hold"); hold != nullptr) build_hold(source, *hold);
      const Node* api = text_at(&node_, source.word);
      if (out_.ask_usage && (!source.of_api || api == nullptr || api->text != "openai"))
        refuse_beside(source, "ask_usage", R"(remove it: only streams of "usage": "openai" are asked for their usage)");
    }
    if (out_.on_hangup == gateway::OnHangup::drain && source.known != gateway::CostKnown::at_end)
      refuse_beside(source, "on_hangup", "remove it: only a cost in the answer's body needs the end of the answer");
    if (!settles && out_.debt)
      refuse_beside(source, "debt", "remove it: only a cost from the answer can be more than what was held");
    refuse_beside(source, settles ? "otherwise" : "hold", settles ? "write \"hold\"" : "write \"otherwise\"");
    if (source.takes == CostTakes::methods) {
      refuse_beside(source, "most", "remove it");
      methods(source);
    } else {
      demand("most", std::to_string(std::max<std::int64_t>(kUsualMost, out_.default_value)));
      if (settles) demand("hold", "1");
      if (source.needs_otherwise) demand("otherwise", std::to_string(kUsualMost));
      name(source);
    }
  }

 private:
  void build_hold(const CostSource& source, const Node& node) {
    auto& hold = out_.hold;
    if (node.kind == Kind::number) return read_number(&node_, "hold", out_.default_value);
    if (node.kind == Kind::object) fill(&node, kHold, out_);
    hold.learned = hold.learned || node.kind == Kind::string;
    hold.of_usage = source.of_api && hold.pointer.empty();
    if (hold.learned && !source.of_api) {
      const Node* written = find(&node, "learned");
      report_.error_at_key(code::kConflict, written != nullptr ? *written : node,
                           "\"learned\" and " + in_quotes(source.word) + " cannot be used together",
                           "only the output that \"usage\" finds in answers is learned");
    }
    if (const Node* extend = find(&node, "extend"); hold.extends && !source.of_api)
      report_.error_at_key(code::kConflict, *extend,
                           "\"extend\" and " + in_quotes(source.word) + " cannot be used together",
                           "remove it: only a stream of \"usage\" can be ended");
    if (find(&node, "otherwise") == nullptr) {
      if (hold.learned) {
        hold.otherwise_most = true;
        out_.default_value = std::max(out_.most, out_.default_value);
      } else if (node.kind == Kind::object) {
        demand("otherwise", "500", node);
      }
    }
    build_clamp(source, node);
  }

  void build_clamp(const CostSource& source, const Node& node) {
    const Node* clamp = find(&node, "clamp");
    const Node* at_least = find(&node, "at_least");
    if (!out_.hold.clamp) {
      if (at_least != nullptr)
        report_.error_at_key(code::kConflict, *at_least, "\"at_least\" has no effect without \"clamp\"",
                             "add \"clamp\": true, or remove it");
      return;
    }
    if (at_least == nullptr) demand("at_least", "100", node);
    if (!source.of_api && out_.hold.pointer.empty())
      report_.error_at_key(code::kMissing, *clamp, "\"clamp\" needs the place of the maximum in the request",
                           "add \"body\", the pointer to it");
  }

  void refuse_beside(const CostSource& source, const char* key, const std::string& help) {
    const Node* written = find(&node_, key);
    if (written == nullptr) return;
    report_.error_at_key(code::kConflict, *written,
                         in_quotes(key) + " and " + in_quotes(source.word) + " cannot be used together", help);
  }

  static constexpr std::int64_t kUsualMost = 100;

  void demand(const char* key, const std::string& example) { demand(key, example, node_); }

  void demand(const char* key, const std::string& example, const Node& in) {
    if (find(&in, key) != nullptr) return;
    report_.error(code::kMissing, {in.span.begin, in.span.begin + 1}, pointer(in), in_quotes(key) + " is missing here",
                  "add " + in_quotes(key) + ": " + example);
  }

  void methods(const CostSource& source) {
    const Node* written = find(&node_, source.word);
    for (const Node* each : children(written, Kind::object)) {
      std::int64_t cost = 1;
      read_number(written, each->key, cost);
      out_.methods.emplace_back(each->key, cost);
    }
  }

  void name(const CostSource& source) {
    const Node* written = text_at(&node_, source.word);
    if (written == nullptr) return;
    out_.name = source.takes == CostTakes::field ? lower(written->text) : written->text;
    if (source.fault != nullptr)
      if (const auto fault = source.fault(out_.name); !fault.empty())
        report_.error(code::kLiteral, *written,
                      in_quotes(written->written) + " is not a value of " + in_quotes(source.word), fault);
    if (out_.default_value > out_.most && out_.most > 0 && !out_.hold.of_usage) {
      const char* default_value = key_of_default(out_);
      if (const Node* place = find(&node_, default_value)) {
        report_.error(code::kConflict, *place,
                      in_quotes(default_value) + " is larger than \"most\", " + std::to_string(out_.most),
                      "lower it, or raise \"most\"");
      }
    }
    if (source.callers_write && build_.config.identity.trusted_proxies.empty()) {
      report_.warning(
          code::kBelieved, *written,
          "any caller can write the field " + out_.name + ", and so choose what its request costs",
          "let a proxy in front of headgate write it, and name that proxy in \"trusted_proxies\"; or take the cost "
          "from the answer with \"response_header\"");
    }
  }

  Build& build_;
  Report& report_;
  const Node& node_;
  Cost& out_;
};

}  // namespace

const char* key_of_default(const gateway::Cost& cost) noexcept { return is_settled(cost) ? "hold" : "otherwise"; }

void build_use(Build& build, const Node& node, gateway::LimitUse& out) {
  fill(&node, kUse, out);
  if (const Node* cost = find(&node, "cost"); cost != nullptr && cost->kind == Kind::object)
    CostBuilder(build, *cost, out.cost).run();
  const Node* scale = text_at(&node, "scale");
  if (scale == nullptr) return;
  if (const auto read = parse_scale(scale->text); read.has_value()) {
    out.scale_up = read->up;
    out.scale_down = read->down;
  }
}

}  // namespace headgate::config
