#include "headgate/scan/pointer.hpp"

#include "names.hpp"

#include "headgate/core/utf8.hpp"
#include "headgate/core/whole_number.hpp"

#include <algorithm>

namespace headgate::scan {
namespace {

LiteralError no_pointer(std::string_view text, std::string_view reason, std::string help) {
  return {"\"" + std::string(text) + "\" is not a JSON pointer: " + std::string(reason), std::move(help)};
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = character_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

/// Replaces "~1" and "~0"; false if another character follows a tilde.
bool unescape(std::string_view step, std::string& out) {
  for (std::size_t at = 0; at < step.size(); ++at) {
    char c = step[at];
    if (c == '~') {
      if (++at == step.size() || (step[at] != '0' && step[at] != '1')) return false;
      c = step[at] == '0' ? '~' : '/';
    }
    out += c;
  }
  return true;
}

/// Returns the element of an array that a step means: digits without zeros in front (RFC 6901 section 4); else -1.
std::int64_t element_of(std::string_view step) noexcept {
  if (step.empty() || (step.size() > 1 && step.front() == '0')) return -1;
  return whole_number<std::int64_t>(step, 0).value_or(-1);
}

}  // namespace

Result<Pointer, LiteralError> parse_pointer(std::string_view text) {
  Pointer out;
  if (text.empty()) return out;
  if (text.front() != '/') return no_pointer(text, "it does not begin with a slash", "write it like \"/usage/total\"");
  if (!is_utf8(text)) return no_pointer(text, "it is not UTF-8", "write names of members as the body has them");
  for (auto rest = text; !rest.empty();) {
    rest.remove_prefix(1);
    const auto step = rest.substr(0, rest.find('/'));
    std::string name;
    if (!unescape(step, name))
      return no_pointer(text, "a tilde is followed by neither 0 nor 1",
                        "write a tilde as \"~0\", and a slash as \"~1\"");
    if (name.size() > kMaxStepBytes)
      return no_pointer(text, "a step is too long", "a step has at most " + std::to_string(kMaxStepBytes) + " bytes");
    out.steps.push_back(std::move(name));
    rest.remove_prefix(step.size());
  }
  if (out.steps.size() > kMaxSteps)
    return no_pointer(text, "it has too many steps", "it has at most " + std::to_string(kMaxSteps) + " steps");
  return out;
}

std::string to_text(const Pointer& pointer) {
  std::string out;
  for (const auto& step : pointer.steps) {
    out += '/';
    for (const char c : step) {
      if (c == '~')
        out += "~0";
      else if (c == '/')
        out += "~1";
      else
        out += c;
    }
  }
  return out;
}

bool matches_many(const Pointer& pointer) noexcept {
  return std::find(pointer.steps.begin(), pointer.steps.end(), "*") != pointer.steps.end();
}

std::size_t Pointers::add(const Pointer& pointer, Take take) {
  for (std::size_t i = 0; i < size(); ++i)
    if (takes_[i] == take && pointers_[i] == pointer) return i;
  const bool fits =
      pointer.steps.size() <= kMaxSteps && std::all_of(pointer.steps.begin(), pointer.steps.end(),
                                                       [](const auto& step) { return step.size() <= kMaxStepBytes; });
  if (size() == kMaxPointers || !fits) return kNone;
  const auto bit = std::uint64_t{1} << size();
  for (std::size_t place = 0; place < pointer.steps.size(); ++place) {
    const auto& step = pointer.steps[place];
    auto& level = levels_[place];
    if (step == "*") {
      level.all |= bit;
      continue;
    }
    auto name =
        std::find_if(level.names.begin(), level.names.end(), [&](const auto& each) { return each.step == step; });
    if (name == level.names.end()) {
      const auto folded = fold_name(step);
      const auto key = name_key(folded);
      name = level.names.insert(name, {step, folded, key, 0, element_of(step), fold_field(step)});
      level.filter |= filter_bit(key);
    }
    name->pointers |= bit;
    if (name->element >= 0) level.elements |= bit;
  }
  levels_[pointer.steps.size()].end |= bit;
  pointers_.push_back(pointer);
  takes_.push_back(take);
  return size() - 1;
}

std::uint64_t Pointers::everything() const noexcept {
  return size() == kMaxPointers ? ~std::uint64_t{0} : (std::uint64_t{1} << size()) - 1;
}

}  // namespace headgate::scan
