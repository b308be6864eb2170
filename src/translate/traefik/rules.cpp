// A router's rule: matchers with && and ||, as a list of alternatives.

#include "translate/draft/json.hpp"
#include "translate/traefik/work.hpp"

#include "headgate/core/text.hpp"

namespace headgate::translate {
namespace {

constexpr std::size_t kMaxMatches = 500;
constexpr std::size_t kDeepestRule = 50;

using Alternatives = std::vector<TraefikMatch>;

/// Reads a rule from left to right.
class RuleReader {
 public:
  RuleReader(std::string_view text, std::string& why) : text_(text), why_(why) {}

  std::optional<Alternatives> all() {
    auto out = either(0);
    skip();
    if (out && at_ < text_.size()) return fail("the rule cannot be read");
    return out;
  }

 private:
  std::optional<Alternatives> fail(const std::string& why) {
    if (why_.empty()) why_ = why;
    return std::nullopt;
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::optional<Alternatives> either(std::size_t depth) {
    if (depth > kDeepestRule) return fail("the rule is nested too deep");
    auto out = both(depth);
    while (out && take("||")) {
      auto more = both(depth);
      if (!more) return std::nullopt;
      out->insert(out->end(), more->begin(), more->end());
      if (out->size() > kMaxMatches) return fail("the rule has too many alternatives");
    }
    return out;
  }

  std::optional<Alternatives> both(std::size_t depth) {
    auto out = one(depth);
    while (out && take("&&")) {
      const auto more = one(depth);
      if (!more) return std::nullopt;
      Alternatives product;
      if (out->size() * more->size() > kMaxMatches) return fail("the rule has too many alternatives");
      for (const auto& a : *out)
        for (const auto& b : *more) {
          auto joint = a;
          if (!join(joint, b)) return fail("two matchers of one kind must both hold");
          product.push_back(std::move(joint));
        }
      out = std::move(product);
    }
    return out;
  }

  static bool join(TraefikMatch& a, const TraefikMatch& b) {
    if (!b.host.empty()) {
      if (!a.host.empty() && a.host != b.host) return false;
      a.host = b.host;
    }
    if (b.path != "/*") {
      if (a.path != "/*" && a.path != b.path) return false;
      a.path = b.path;
    }
    if (!b.methods.empty()) {
      if (!a.methods.empty()) return false;
      a.methods = b.methods;
    }
    a.headers.insert(a.headers.end(), b.headers.begin(), b.headers.end());
    a.query.insert(a.query.end(), b.query.begin(), b.query.end());
    return true;
  }

  std::optional<Alternatives> one(std::size_t depth) {
    if (take("!")) return fail("headgate has no \"not\" in routes");
    if (take("(")) {
      auto out = either(depth + 1);
      if (out && !take(")")) return fail("a \")\" is missing in the rule");
      return out;
    }
    skip();
    std::string name;
    while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') || (text_[at_] >= 'A' && text_[at_] <= 'Z')))
      name += text_[at_++];
    if (name.empty() || !take("(")) return fail("the rule cannot be read");
    std::vector<std::string> values;
    while (!take(")")) {
      skip();
      if (at_ >= text_.size() || (text_[at_] != '`' && text_[at_] != '"' && text_[at_] != '\''))
        return fail("the rule cannot be read");
      const auto end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) return fail("a quote is not closed in the rule");
      values.emplace_back(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      take(",");
    }
    return matcher(lower(name), name, values);
  }

  std::optional<Alternatives> matcher(const std::string& kind, const std::string& name,
                                      const std::vector<std::string>& values) {
    if (values.empty()) return fail(name + " names nothing");
    Alternatives out;
    if (kind == "headers" || kind == "header" || kind == "query") {
      std::string field = values[0];
      std::string value = values.size() > 1 ? values[1] : std::string();
      if (const auto equals = field.find('='); kind == "query" && equals != std::string::npos) {
        value = field.substr(equals + 1);
        field.erase(equals);
      }
      TraefikMatch match;
      (kind == "query" ? match.query : match.headers).emplace_back(field, value.empty() ? "true" : json_text(value));
      return Alternatives{match};
    }
    if (kind == "method") {
      TraefikMatch match;
      match.methods = values;
      return Alternatives{match};
    }
    for (const auto& value : values) {
      TraefikMatch match;
      if (kind == "host") {
        match.host = lower(value);
      } else if (kind == "pathprefix" || kind == "path") {
        if (!value.starts_with('/') || value.find('{') != std::string::npos)
          return fail(name + " has more than a path");
        match.path = kind == "path" ? value : value.ends_with('/') ? value + "*" : value + "/*";
      } else {
        return fail("headgate chooses routes by host, path, method, fields and parameters, and not by " + name);
      }
      out.push_back(std::move(match));
    }
    return out;
  }

  std::string_view text_;
  std::string& why_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<TraefikMatch>> matches_of(std::string_view rule, std::string& why) {
  return RuleReader(rule, why).all();
}

}  // namespace headgate::translate
