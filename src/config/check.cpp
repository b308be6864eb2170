#include "check.hpp"

#include "config/text/codes.hpp"
#include "other_words.hpp"

#include "headgate/core/rate_help.hpp"
#include "headgate/core/text.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace headgate::config {
namespace {

using Form = Shape::Form;

std::string_view found(const Node& node) {
  switch (node.kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "true or false";
    case Kind::number:
      return "a number";
    case Kind::string:
      return "text";
    case Kind::list:
      return "a list";
    case Kind::object:
      return "an object";
    case Kind::broken:
      break;
  }
  return "nothing";
}

std::string subject(const Node& node) { return node.key.empty() ? "this element" : in_quotes(node.key); }

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class Checker {
 public:
  explicit Checker(Report& report) : report_(report) {}

  void section(const Node& node, const Section& section) {
    std::set<std::string, std::less<>> met;
    for (const Node* member : node.children) met.insert(this->member(*member, section));
    for (const Key& key : section.keys) {
      if (key.presence != Presence::required || met.contains(key.name)) continue;
      const Span brace{node.span.begin, node.span.begin + 1};
      report_.error(code::kMissing, brace, pointer(node), in_quotes(key.name) + " is missing here",
                    "add " + in_quotes(key.name) + ": " + std::string(key.example));
    }
    if (!section.one_of.empty()) one_of(node, section, met);
  }

 private:
  void one_of(const Node& node, const Section& section, const std::set<std::string, std::less<>>& met) {
    const auto choices = section.one_of;
    const auto count = std::count_if(choices.begin(), choices.end(), [&](auto each) { return met.contains(each); });
    if (count == 1) return;
    std::string names;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (i > 0) names += i + 1 == choices.size() ? " or " : ", ";
      names += in_quotes(choices[i]);
    }
    if (count == 0) {
      const auto first = std::find_if(section.keys.begin(), section.keys.end(),
                                      [&](const Key& key) { return key.name == choices.front(); });
      const Span brace{node.span.begin, node.span.begin + 1};
      report_.error(code::kMissing, brace, pointer(node), names + " is missing here",
                    "add " + in_quotes(first->name) + ": " + std::string(first->example));
      return;
    }
    const Node* first = nullptr;
    for (const Node* member : node.children) {
      if (!contains(choices, member->key)) continue;
      if (first != nullptr) {
        report_.error_at_key(code::kConflict, *member,
                             in_quotes(first->key) + " and " + in_quotes(member->key) + " cannot be used together",
                             "keep one of " + names);
      }
      if (first == nullptr) first = member;
    }
  }

  // Checks a member of `section`. Returns the name of its key; for an unknown key, that of the key that was probably
  // intended.
  std::string member(const Node& node, const Section& section) {
    const auto key =
        std::find_if(section.keys.begin(), section.keys.end(), [&](const Key& each) { return each.name == node.key; });
    if (key != section.keys.end()) {
      // Another gateway may have a key of this name with a number, where headgate has an object.
      const bool theirs = takes_object(*key->shape) && node.kind == Kind::number;
      auto other = theirs ? other_word(node, section) : std::nullopt;
      if (!other) {
        value(node, *key->shape, *key);
        return node.key;
      }
      takes(node, *key->shape, *key, std::move(other->help));
      return std::string(other->key);
    }
    if (contains(section.later, node.key)) {
      report_.error_at_key(code::kNotAvailable, node, in_quotes(node.key) + " is not available in this version",
                           "leave it out: nothing would enforce it");
      return node.key;
    }
    if (auto other = other_word(node, section)) {
      report_.error_at_key(code::kUnknownKey, node, "unknown key " + in_quotes(node.key), std::move(other->help));
      return std::string(other->key);
    }
    std::vector<std::string_view> names;
    for (const Key& each : section.keys) names.push_back(each.name);
    auto near = nearest(node.key, names);
    std::string help = near.empty() ? "" : "did you mean " + in_quotes(near) + "?  ";
    if (node.key.starts_with('_') || node.key.starts_with('#') || node.key.starts_with("//") || node.key == "comment") {
      help = "a comment is written // like this.  ";
    }
    report_.error_at_key(code::kUnknownKey, node, "unknown key " + in_quotes(node.key),
                         help + "Keys here: " + joined(names, ", "));
    return near;
  }

  void value(const Node& node, const Shape& shape, const Key& key) {
    if (node.kind == Kind::broken) return;
    if (shape.form == Form::either) {
      const auto fits = std::find_if(shape.forms.begin(), shape.forms.end(),
                                     [&](const Shape* each) { return json_kind(each->form) == node.kind; });
      if (fits != shape.forms.end() && rate_in_place_of(node, shape)) return;
      return fits == shape.forms.end() ? wrong_type(node, shape, key) : value(node, **fits, key);
    }
    if (json_kind(shape.form) != node.kind) return wrong_type(node, shape, key);
    switch (shape.form) {
      case Form::section:
        return section(node, *shape.section);
      case Form::list:
      case Form::map:
        return children(node, shape, key);
      case Form::integer:
        return integer(node, shape);
      case Form::choice:
        return choice(node, shape);
      case Form::boolean:
      case Form::json:  // any keys and values are allowed
        return;
      default:
        return literal(node, shape);
    }
  }

  // Reports a rate in place of an object with a "rate", as in "free": "60/minute". Returns false if the value is not a
  // rate.
  bool rate_in_place_of(const Node& node, const Shape& shape) {
    if (node.kind != Kind::string || node.replaced || parse_rate(node.text).has_error()) return false;
    const bool fits = std::any_of(shape.forms.begin(), shape.forms.end(), [](const Shape* form) {
      return form->form == Form::section && std::any_of(form->section->keys.begin(), form->section->keys.end(),
                                                        [](const Key& key) { return key.name == "rate"; });
    });
    if (!fits) return false;
    report_.error(code::kType, node, subject(node) + " takes " + std::string(shape.what),
                  "write " + in_quotes(node.key) + ": { \"rate\": " + in_quotes(node.written) + " }");
    return true;
  }

  static bool takes_object(const Shape& shape) {
    return shape.form == Form::section ||
           std::any_of(shape.forms.begin(), shape.forms.end(), [](const Shape* form) { return takes_object(*form); });
  }

  static bool takes_rate(const Shape& shape) {
    return shape.form == Form::rate ||
           std::any_of(shape.forms.begin(), shape.forms.end(), [](const Shape* form) { return takes_rate(*form); });
  }

  void wrong_type(const Node& node, const Shape& shape, const Key& key) {
    if (node.kind == Kind::null) {
      return report_.error(code::kType, node, "null is not a value here",
                           "leave " + in_quotes(key.name) + " out for its default");
    }
    if (shape.form == Form::duration && node.kind == Kind::number) {
      const auto read = parse_duration(node.text);
      const std::string what = key.name.ends_with("timeout") ? "a timeout" : in_quotes(key.name);
      return report_.error(code::kLiteral, node, what + " needs a unit", read.has_error() ? read.error().help : "");
    }
    std::string help = "for example " + in_quotes(key.name) + ": " + std::string(key.example);
    const bool quotable = shape.form != Form::boolean && shape.form != Form::section;
    if (node.kind == Kind::number && quotable) help = "write it in double quotes, " + help;
    if (node.kind == Kind::number && takes_rate(shape)) help = rate_help(node.text);
    // Looks for a number at the beginning of the text, as in "20 nodelay".
    const auto digits = std::min(node.written.find_first_not_of("0123456789"), node.written.size());
    if (shape.form == Form::integer && node.kind == Kind::string && digits > 0 && digits <= 12)
      help = "write " + in_quotes(key.name) + ": " + node.written.substr(0, digits);
    takes(node, shape, key, std::move(help));
  }

  void takes(const Node& node, const Shape& shape, const Key& key, std::string help) {
    report_.error(code::kType, node,
                  in_quotes(key.name) + " takes " + std::string(shape.what) + ", not " + std::string(found(node)),
                  std::move(help));
  }

  void children(const Node& node, const Shape& shape, const Key& key) {
    const auto count = node.children.size();
    if (count < shape.least) {
      report_.error(code::kRange, node, subject(node) + " is empty",
                    "for example " + in_quotes(key.name) + ": " + std::string(key.example));
    } else if (count > shape.most) {
      report_.error(code::kRange, node.children[shape.most]->span, pointer(*node.children[shape.most]),
                    subject(node) + " has more than " + std::to_string(shape.most) + " elements", "");
    }
    for (const Node* child : node.children) {
      if (shape.form == Form::map) {
        if (const auto error = shape.check(child->key))
          report_.error_at_key(code::kLiteral, *child, error->message, error->help);
      }
      value(*child, *shape.of, key);
    }
  }

  void integer(const Node& node, const Shape& shape) {
    if (whole_number<std::uint64_t>(node.text, shape.least, shape.most)) return;
    report_.error(code::kRange, node,
                  subject(node) + " must be a whole number from " + std::to_string(shape.least) + " to " +
                      std::to_string(shape.most) + ", not " + node.text.substr(0, 40));
  }

  void choice(const Node& node, const Shape& shape) {
    const auto words = words_of(shape);
    if (contains(words, node.text)) return;
    if (contains(shape.later, node.text)) {
      return report_.error(code::kNotAvailable, node, in_quotes(node.written) + " is not available in this version",
                           "write one of: " + joined(words, ", "));
    }
    const auto begins = std::find_if(words.begin(), words.end(),
                                     [&](auto word) { return node.text.size() > 1 && word.starts_with(node.text); });
    std::string near;
    if (!node.replaced) near = begins == words.end() ? nearest(node.text, words) : std::string(*begins);
    report_.error(code::kChoice, node,
                  in_quotes(node.written) + (node.replaced ? " does not hold " : " is not ") +
                      (words.size() == 1 ? in_quotes(words.front()) : "one of: " + joined(words, ", ")),
                  near.empty() ? "" : "did you mean " + in_quotes(near) + "?");
  }

  static std::optional<LiteralError> error_in(std::string_view text, const Shape& shape) {
    const auto of = [](const auto& read) { return read.has_error() ? std::optional(read.error()) : std::nullopt; };
    switch (shape.form) {
      case Form::duration:
        return duration_error(text, shape);
      case Form::rate:
        return of(parse_rate(text));
      case Form::size:
        return size_error(text, shape);
      default:
        return shape.check == nullptr ? std::nullopt : shape.check(text);
    }
  }

  static std::optional<LiteralError> duration_error(std::string_view text, const Shape& shape) {
    if (shape.least == 0 && text == "0s") return std::nullopt;
    const auto read = parse_duration(text);
    if (read.has_error()) return read.error();
    const Duration least(static_cast<Duration::rep>(shape.least));
    if (*read >= least) return std::nullopt;
    return LiteralError{in_quotes(text) + " is too short", "write \"" + to_text(least) + "\" or more"};
  }

  static std::optional<LiteralError> size_error(std::string_view text, const Shape& shape) {
    const auto read = parse_size(text);
    if (read.has_error()) return read.error();
    if (*read >= shape.least && *read <= shape.most) return std::nullopt;
    return LiteralError{in_quotes(text) + " is not from " + size_text(shape.least) + " to " + size_text(shape.most),
                        ""};
  }

  void literal(const Node& node, const Shape& shape) {
    auto error = error_in(node.text, shape);
    if (!error) return;
    // The error may quote the value. The value of a placeholder may be secret, so it gets another text.
    if (node.replaced)
      error = LiteralError{
          "the value of " + in_quotes(node.written) + " is not " + std::string(shape.what) + " that can be used",
          "the value is not shown here, because it may be secret"};
    report_.error(code::kLiteral, node, error->message, error->help);
  }

  Report& report_;
};

}  // namespace

void check(const Node& node, const Section& section, Report& report) { Checker(report).section(node, section); }

}  // namespace headgate::config
