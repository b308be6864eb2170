#include "nginx_syntax.hpp"

#include "translate/unreadable.hpp"

namespace headgate::translate {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMaxDirectives = 200'000;
constexpr std::size_t kMaxWords = 100'000;  // limit for one directive

bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Reads the text once and counts lines.
class NginxReader {
 public:
  NginxReader(std::string_view text, const std::string& file, std::size_t& count)
      : text_(text), file_(file), count_(count) {}

  std::vector<Directive> all() {
    auto out = block(0);
    if (at_ < text_.size()) fail("unexpected \"}\": no block is open");
    return out;
  }

 private:
  Spot here() const { return {file_, line_, at_ - line_begin_ + 1}; }
  [[noreturn]] void fail(const std::string& message, const std::string& help = {}) const {
    throw Unreadable(here(), message, help);
  }
  bool ended() const noexcept { return at_ >= text_.size(); }
  char now() const noexcept { return text_[at_]; }
  void step() noexcept {
    if (text_[at_] == '\n') {
      ++line_;
      line_begin_ = at_ + 1;
    }
    ++at_;
  }

  void skip() {
    while (!ended() && (is_blank(now()) || now() == '#')) {
      if (now() == '#')
        while (!ended() && now() != '\n') step();
      else
        step();
    }
  }

  /// Appends the character that an escape stands for.
  void escape(std::string& out) {
    step();
    if (ended()) fail("the file ends behind a backslash");
    switch (const char c = now()) {
      case '"':
      case '\'':
      case '\\':
        out += c;
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'n':
        out += '\n';
        break;
      default:
        out += '\\';
        out += c;
    }
    step();
  }

  std::string quoted_word(char quote) {
    const auto begin = here();
    std::string out;
    step();
    while (!ended() && now() != quote) {
      if (now() == '\\') {
        escape(out);
      } else {
        out += now();
        step();
      }
    }
    if (ended()) throw Unreadable(begin, "this quote is not closed");
    step();
    if (!ended() && !is_blank(now()) && now() != ';' && now() != '{' && now() != ')')
      fail("a space or \";\" is missing behind a quoted text");
    return out;
  }

  std::string word() {
    if (now() == '"' || now() == '\'') return quoted_word(now());
    std::string out;
    while (!ended() && !is_blank(now()) && now() != ';' && now() != '{') {
      if (now() == '\\') {
        escape(out);
        continue;
      }
      if (now() == '$' && at_ + 1 < text_.size() && text_[at_ + 1] == '{') {  // "${name}" begins no block
        while (!ended() && now() != '}' && !is_blank(now())) {
          out += now();
          step();
        }
        if (ended() || now() != '}') fail("a variable's \"}\" is missing");
      }
      out += now();
      step();
    }
    return out;
  }

  /// Skips the code of another language between braces, as in content_by_lua_block.
  void skip_code() {
    const auto begin = here();
    std::size_t open = 0;
    while (!ended()) {
      if (now() == '{') ++open;
      const bool closes = now() == '}' && --open == 0;
      step();
      if (closes) return;
    }
    throw Unreadable(begin, "this block is not closed", "a \"}\" is missing");
  }

  std::vector<Directive> block(std::size_t depth) {
    if (depth > kDeepest) fail("blocks are nested more than " + std::to_string(kDeepest) + " deep");
    std::vector<Directive> out;
    for (skip(); !ended() && now() != '}'; skip()) out.push_back(directive(depth));
    return out;
  }

  Directive directive(std::size_t depth) {
    if (++count_ > kMaxDirectives) fail("there are more than " + std::to_string(kMaxDirectives) + " directives");
    Directive out;
    out.spot = here();
    if (now() == ';' || now() == '{') fail(std::string("unexpected \"") + now() + '"');
    out.name = word();
    for (skip(); !ended() && now() != ';' && now() != '{'; skip()) {
      if (now() == '}')
        throw Unreadable(out.spot, "\"" + out.name.substr(0, 40) + "\" is not ended",
                         "a \";\" is missing before \"}\"");
      if (out.words.size() >= kMaxWords) fail("a directive has more than " + std::to_string(kMaxWords) + " words");
      out.words.push_back(word());
    }
    if (ended()) throw Unreadable(out.spot, "\"" + out.name.substr(0, 40) + "\" is not ended", "a \";\" is missing");
    if (now() == ';') {
      step();
      return out;
    }
    out.has_block = true;
    if (out.name.ends_with("_by_lua_block")) {
      skip_code();
      return out;
    }
    step();
    out.block = block(depth + 1);
    if (ended())
      throw Unreadable(out.spot, "the block of \"" + out.name.substr(0, 40) + "\" is not closed", "a \"}\" is missing");
    step();
    return out;
  }

  std::string_view text_;
  std::string file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t line_begin_ = 0;
  std::size_t& count_;
};

}  // namespace

std::string Directive::text() const {
  std::string out = name;
  for (const auto& each : words) {
    if (out.size() > 200) break;
    out += ' ';
    out += each;
  }
  return out;
}

std::vector<Directive> read_nginx(const std::string& text, const std::string& file, std::size_t& count) {
  return NginxReader(text, file, count).all();
}

}  // namespace headgate::translate
