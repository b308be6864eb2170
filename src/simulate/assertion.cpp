#include "headgate/simulate/assertion.hpp"

#include "headgate/core/literals.hpp"
#include "headgate/gateway/key_source.hpp"
#include "headgate/simulate/share_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace headgate::simulate {
namespace {

using What = Assertion::What;
using Compare = Assertion::Compare;

constexpr const char* kLikeThis = "write \"rejected(limit=plan,tier=pro) < 0.1%\"";
constexpr std::array<std::string_view, 4> kWhats{"rejected", "keys_rejected", "delayed", "banned"};
constexpr std::array<std::string_view, 3> kNames{"limit", "tier", "key"};

class AssertionReader {
 public:
  explicit AssertionReader(std::string_view text) : text_(text) { out_.text = text; }

  Result<Assertion, TextFault> run() {
    if (auto wrong = what()) return *wrong;
    if (auto wrong = arguments()) return *wrong;
    if (auto wrong = comparison()) return *wrong;
    if (auto wrong = value()) return *wrong;
    return std::move(out_);
  }

 private:
  using Wrong = std::optional<TextFault>;

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const auto begin = at_;
    while (at_ < text_.size() && (text_[at_] == '_' || (text_[at_] >= 'a' && text_[at_] <= 'z'))) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  TextFault fault(std::size_t at, std::size_t size, std::string message, std::string help = kLikeThis) const {
    return {at, std::max<std::size_t>(size, 1), std::move(message), std::move(help)};
  }

  template <std::size_t size>
  static std::string help_of(std::string_view written, const std::array<std::string_view, size>& known) {
    const auto near = nearest(written, known);
    return near.empty() ? std::string(kLikeThis) : "did you mean \"" + near + "\"?";
  }

  Wrong what() {
    const auto name = word();
    const auto* const known = std::ranges::find(kWhats, name);
    if (known == kWhats.end())
      return fault(at_ - name.size(), name.size(),
                   name.empty() ? "it begins with rejected, keys_rejected, delayed or banned"
                                : "\"" + std::string(name) + "\" is nothing that can be asserted",
                   help_of(name, kWhats));
    out_.what = static_cast<What>(known - kWhats.begin());
    return {};
  }

  Wrong arguments() {
    if (!take('(')) return fault(at_, 1, "a parenthesis is missing");
    if (take(')')) return {};
    do {
      const auto name = word();
      const auto begin = at_ - name.size();
      const auto* const known = std::ranges::find(kNames, name);
      if (known == kNames.end())
        return fault(begin, name.size(), "\"" + std::string(name) + "\" is none of limit, tier and key",
                     help_of(name, kNames));
      if (!take('=')) return fault(at_, 1, "'=' is missing");
      auto& place = *known == "limit" ? out_.limit : *known == "tier" ? out_.tier : out_.key;
      if (!place.empty()) return fault(begin, name.size(), "\"" + std::string(name) + "\" stands twice");
      if (auto wrong = text_of(place)) return wrong;
      if (*known == "tier") out_.has_tier = true;
      if (*known == "key") out_.has_key = true;
    } while (take(','));
    if (!take(')')) return fault(at_, 1, "')' is missing");
    if (out_.has_tier && out_.limit.empty())
      return fault(0, text_.size(), "a tier is one of a limit, which is not named", "write \"limit=plan,tier=pro\"");
    if (out_.what == What::banned && (out_.has_tier || out_.has_key))
      return fault(0, text_.size(), "suspensions are counted by limit, not by tier or key",
                   "write \"banned(limit=plan)\"");
    if (out_.what == What::delayed && out_.has_key)
      return fault(0, text_.size(), "waits are counted by limit and tier, not by key", "write \"delayed(limit=plan)\"");
    return {};
  }

  Wrong text_of(std::string& out) {
    skip_blanks();
    const auto begin = at_;
    if (take('"')) {
      for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
        out += text_[at_];
      }
      if (at_ == text_.size()) return fault(begin, at_ - begin, "the quotes do not end");
      ++at_;
      return {};
    }
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ')') ++at_;
    out = text_.substr(begin, at_ - begin);
    while (out.ends_with(' ')) out.pop_back();
    if (out.empty()) return fault(begin, 1, "a name is missing");
    return {};
  }

  Wrong comparison() {
    skip_blanks();
    constexpr std::array<std::pair<std::string_view, Compare>, 5> kSigns{{{"<=", Compare::at_most},
                                                                          {">=", Compare::at_least},
                                                                          {"==", Compare::equal},
                                                                          {"<", Compare::less},
                                                                          {">", Compare::more}}};
    for (const auto& [sign, compare] : kSigns) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      out_.compare = compare;
      return {};
    }
    return fault(at_, 1, "one of < <= > >= == is missing");
  }

  Wrong value() {
    skip_blanks();
    const auto begin = at_;
    auto written = text_.substr(at_);
    while (written.ends_with(' ')) written.remove_suffix(1);
    const auto size = written.size();
    out_.share = written.ends_with('%');
    if (out_.share) written.remove_suffix(1);
    while (written.ends_with(' ')) written.remove_suffix(1);
    const auto [end, wrong] =
        std::from_chars(written.data(), written.data() + written.size(), out_.value, std::chars_format::fixed);
    const bool number = !written.empty() && wrong == std::errc() && end == written.data() + written.size() &&
                        written.front() >= '0' && written.front() <= '9';
    if (!number || (out_.share && out_.value > 100))
      return fault(begin, size, "a share as \"0.1%\", or a number of requests or keys, is expected here");
    if (!out_.share && written.find('.') != std::string_view::npos)
      return fault(begin, size, "there is no part of a request or a key", "a share ends with '%': \"0.1%\"");
    if (out_.share) out_.value /= 100;
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Assertion out_;
};

/// Returns the keys of a limit that an operator may mean by `written`.
std::vector<std::string> counted_keys(const limit::Limit& limit, std::string_view written) {
  std::vector<std::string> out{std::string(written)};
  for (std::size_t i = 0; i < limit.if_absent.instead.size(); ++i) {
    std::string words;
    for (const auto& per : limit.if_absent.instead[i])
      words.append(words.empty() ? "" : "|").append(gateway::to_text(per));
    words += '=';
    if (written.starts_with(words))
      out.push_back(std::string(limit::IfAbsent::kMarks[i]).append(written.substr(words.size())));
  }
  return out;
}

void add_keyed(const Assertion& assertion, const RunTally& tally, const gateway::CompiledLimit& limit, Held& out) {
  for (const auto& tier : limit.tiers) {
    if (assertion.has_tier && tier.name != assertion.tier) continue;
    for (const auto& key : counted_keys(limit.limit, assertion.key)) {
      const auto* const count = tally.keys(tier).find(key);
      if (count == nullptr) continue;
      const bool keys = assertion.what == What::keys_rejected;
      out.part += keys ? (count->rejected > 0 ? 1 : 0) : count->rejected;
      out.whole += keys ? 1 : count->requests;
    }
  }
}

void add_limit(const Assertion& assertion, const LimitFigures& limit, Held& out) {
  if (assertion.what == What::banned) {
    out.part += limit.banned;
    out.whole += limit.requests() + limit.banned;
    return;
  }
  for (const auto& tier : limit.tiers) {
    if (assertion.has_tier && tier.name != assertion.tier) continue;
    const bool keys = assertion.what == What::keys_rejected;
    out.part += keys ? tier.keys_rejected : assertion.what == What::delayed ? tier.delayed : tier.rejected;
    out.whole += keys ? tier.keys : tier.requests;
  }
}

bool compares(const Assertion& assertion, double found) noexcept {
  switch (assertion.compare) {
    case Compare::less:
      return found < assertion.value;
    case Compare::at_most:
      return found <= assertion.value;
    case Compare::more:
      return found > assertion.value;
    case Compare::at_least:
      return found >= assertion.value;
    case Compare::equal:
      break;
  }
  return found == assertion.value;
}

TextFault unknown(const Assertion& assertion, const std::string& name, const std::string& what,
                  const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  std::string help = near.empty() ? std::string() : "did you mean \"" + near + "\"?";
  if (near.empty()) {
    for (const auto& each : known) help += (help.empty() ? "there are: " : ", ") + each;
    if (help.empty()) help = "the configuration has none";
  }
  const auto at = assertion.text.find(name);
  return {at == std::string::npos ? 0 : at, std::max<std::size_t>(name.size(), 1), what, help};
}

}  // namespace

Result<Assertion, TextFault> parse_assertion(std::string_view text) { return AssertionReader(text).run(); }

Result<void, TextFault> check_names(const Assertion& assertion, const gateway::CompiledConfig& compiled) {
  if (assertion.limit.empty()) return {};
  const auto limits = compiled.limits();
  const auto found =
      std::ranges::find_if(limits, [&](const auto& each) { return each->limit.name == assertion.limit; });
  std::vector<std::string> known;
  if (found == limits.end()) {
    for (const auto& each : limits) known.push_back(each->limit.name);
    return unknown(assertion, assertion.limit, "no limit of a route is named \"" + assertion.limit + "\"", known);
  }
  const auto& tiers = (*found)->tiers;
  if (!assertion.has_tier || std::ranges::any_of(tiers, [&](const auto& tier) { return tier.name == assertion.tier; }))
    return {};
  for (const auto& tier : tiers)
    if (!tier.name.empty()) known.push_back(tier.name);
  if (known.empty())
    return TextFault{assertion.text.find("tier"), 4, "limit \"" + assertion.limit + "\" has no tiers",
                     "leave the tier out"};
  return unknown(assertion, assertion.tier, "limit \"" + assertion.limit + "\" has no tier \"" + assertion.tier + "\"",
                 known);
}

Held evaluate(const Assertion& assertion, const RunTally& tally, const Figures& figures) {
  Held out;
  if (assertion.has_key) {
    for (const auto& limit : tally.compiled().limits())
      if (assertion.limit.empty() || limit->limit.name == assertion.limit) add_keyed(assertion, tally, *limit, out);
  } else if (assertion.limit.empty() && assertion.what == What::rejected) {
    out = {.part = figures.refused, .whole = figures.requests};
  } else {
    for (const auto& limit : figures.limits)
      if (assertion.limit.empty() || limit.name == assertion.limit) add_limit(assertion, limit, out);
  }
  out.holds = compares(assertion, assertion.share ? share_of(out.part, out.whole) : static_cast<double>(out.part));
  return out;
}

std::string found_text(const Assertion& assertion, const Held& held) {
  const auto of = std::to_string(held.part) + " of " + std::to_string(held.whole);
  return assertion.share ? share_text(held.part, held.whole) + " (" + of + ")" : of;
}

}  // namespace headgate::simulate
