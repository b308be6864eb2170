// Reads a text for the layout: its tokens, and the comments and line ends between them.

#include "tree.hpp"

#include <algorithm>
#include <utility>

namespace headgate::config {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Returns `text` without the blanks at the ends of its lines.
std::string without_ends(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n')
      while (!out.empty() && out.back() != '\n' && is_blank(out.back())) out.pop_back();
    out += c;
  }
  while (!out.empty() && is_blank(out.back())) out.pop_back();
  return out;
}

struct FoundComment {
  std::string text;
  std::size_t column = 0;
  std::size_t lines_before = 0;  // number of line ends between the comment and the text before it
  std::size_t gap = 0;           // number of blanks before the comment on its line
  bool ends_line = false;        // whether only blanks follow on the line
  bool is_long = false;          // whether the comment spans several lines
};

/// The comments and blanks before a token.
struct Between {
  std::vector<FoundComment> comments;
  std::size_t lines = 0;  // number of line ends between the last comment, or the last token, and this token
  std::size_t gap = 0;    // number of blanks before the token on its line
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text), at_(text.starts_with("\xEF\xBB\xBF") ? 3 : 0) {
    line_ = at_;
    advance();
  }

  const std::string& token() const { return token_; }  // empty at the end of the text
  char front() const { return token_.empty() ? '\0' : token_.front(); }
  /// Returns the comments and blanks before the current token.
  Between& between() { return between_; }
  Between take_between() { return std::exchange(between_, {}); }
  void advance() {
    between_ = {};
    blanks();
    const auto begin = at_;
    if (at_ >= text_.size()) {
      token_.clear();
      return;
    }
    const char first = text_[at_++];
    if (first == '"') {
      while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
      at_ = std::min(at_ + 1, text_.size());
    } else if (std::string_view("{}[]:,").find(first) == std::string_view::npos) {
      while (at_ < text_.size() && !is_blank(text_[at_]) &&
             std::string_view("{}[]:,\"/").find(text_[at_]) == std::string_view::npos)
        ++at_;
    }
    token_ = text_.substr(begin, at_ - begin);
  }

 private:
  void blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_blank(c)) {
        between_.gap += c == '\t' ? 4 : 1;
        if (c == '\n') {
          ++between_.lines;
          between_.gap = 0;
          line_ = at_ + 1;
        }
        ++at_;
      } else if (text_.substr(at_).starts_with("//") || text_.substr(at_).starts_with("/*")) {
        comment();
      } else {
        return;
      }
    }
  }

  void comment() {
    FoundComment found{.text = {}, .column = at_ - line_, .lines_before = between_.lines, .gap = between_.gap};
    const bool to_end = text_[at_ + 1] == '/';
    const auto close = to_end ? text_.find('\n', at_) : text_.find("*/", at_ + 2);
    const auto end = close == std::string_view::npos ? text_.size() : close + (to_end ? 0 : 2);
    found.text = without_ends(text_.substr(at_, end - at_));
    found.is_long = found.text.find('\n') != std::string::npos;
    if (found.is_long) line_ = at_ + text_.substr(at_, end - at_).rfind('\n') + 1;
    at_ = end;
    auto next = at_;
    while (next < text_.size() && text_[next] != '\n' && is_blank(text_[next])) ++next;
    found.ends_line = next >= text_.size() || text_[next] == '\n';
    between_.comments.push_back(std::move(found));
    between_.lines = 0;
    between_.gap = 0;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t line_;  // offset at which the current line begins
  std::string token_;
  Between between_;
};

class TreeReader {
 public:
  explicit TreeReader(std::string_view text) : tokens_(text) {}

  LayoutText run() {
    LayoutText out;
    out.root.after_blank = tokens_.between().lines > 1;
    own(tokens_.take_between(), out.root.before);
    value(out.root.value);
    behind(tokens_.between(), out.root);
    out.after = std::move(waiting_);
    return out;
  }

 private:
  static OwnComment own_comment(FoundComment&& found) {
    return {.text = std::move(found.text), .column = found.column, .after_blank = found.lines_before > 1};
  }
  static void own(Between&& between, std::vector<OwnComment>& out) {
    for (auto& each : between.comments) out.push_back(own_comment(std::move(each)));
  }

  /// Assigns the comments between an item and the next token. Comments on the line of the item belong to it; the others
  /// wait for the next item.
  void behind(Between& between, LayoutItem& item) {
    for (auto& each : between.comments) {
      const bool beside = each.lines_before == 0 && waiting_.empty() && !item.tail;
      if (beside && each.ends_line && !each.is_long)
        item.tail = TailComment{std::move(each.text), each.gap > 2};
      else if (beside && !each.is_long)
        item.behind += (item.behind.empty() ? "" : " ") + each.text;
      else
        waiting_.push_back(own_comment(std::move(each)));
    }
    between.comments.clear();
  }

  /// Assigns the comments before an item, which are on lines of their own or beside the item.
  void before(Between&& between, LayoutItem& item) {
    item.before = std::exchange(waiting_, {});
    auto& found = between.comments;
    auto on_line = found.size();
    if (between.lines == 0)
      while (on_line > 0 && !found[on_line - 1].ends_line && !found[on_line - 1].is_long &&
             (on_line == found.size() || found[on_line].lines_before == 0))
        --on_line;
    for (std::size_t i = 0; i < on_line; ++i) item.before.push_back(own_comment(std::move(found[i])));
    const bool with_comment = on_line < found.size();
    const auto lines = with_comment ? found[on_line].lines_before : between.lines;
    item.starts_line = lines > 0 || !item.before.empty();
    item.after_blank = lines > 1;
    item.item_apart = !item.starts_line && (with_comment ? found[on_line].gap : between.gap) > 1;
    for (auto i = on_line; i < found.size(); ++i)
      item.beside += (item.beside.empty() ? "" : " ") + std::move(found[i].text);
  }

  /// Moves comments between a key and its value to the lines before the item.
  void hoist(Between&& between, LayoutItem& item) {
    if (between.comments.empty()) return;
    if (!item.beside.empty()) item.before.push_back(own_comment({.text = std::exchange(item.beside, {})}));
    own(std::move(between), item.before);
    item.starts_line = true;
  }

  void value(LayoutValue& out) {
    const char open = tokens_.front();
    if (open != '{' && open != '[') {
      out.raw = tokens_.token();
      out.width = layout_width(out.raw);
      tokens_.advance();
      return;
    }
    out.open = open;
    tokens_.advance();
    while (tokens_.front() != '}' && tokens_.front() != ']' && tokens_.front() != '\0') item(out);
    close(out);
    measure(out);
  }

  void item(LayoutValue& container) {
    auto& item = container.items.emplace_back();
    if (container.items.size() == 1) after_open(tokens_.between(), container);
    before(tokens_.take_between(), item);
    if (container.open == '{') {
      item.key = tokens_.token();
      tokens_.advance();
      hoist(tokens_.take_between(), item);  // comments before the colon
      tokens_.advance();
      auto gap = tokens_.take_between();
      item.key_apart = gap.comments.empty() && gap.lines == 0 && gap.gap > 1;
      hoist(std::move(gap), item);
    }
    value(item.value);
    if (tokens_.front() != ',') return;
    behind(tokens_.between(), item);
    item.comma = true;
    tokens_.advance();
    tail(item);
  }

  /// Assigns the comment that follows an item and its comma on the same line.
  void tail(LayoutItem& item) {
    auto& found = tokens_.between().comments;
    if (found.empty() || !may_end_line(found.front()) || item.tail || !waiting_.empty()) return;
    item.tail = TailComment{std::move(found.front().text), found.front().gap > 2};
    found.erase(found.begin());
  }

  static bool may_end_line(const FoundComment& found) {
    return found.lines_before == 0 && found.ends_line && !found.is_long;
  }

  static void after_open(Between& between, LayoutValue& container) {
    auto& found = between.comments;
    if (found.empty() || !may_end_line(found.front())) return;
    container.after_open = TailComment{std::move(found.front().text), found.front().gap > 2};
    found.erase(found.begin());
  }

  void close(LayoutValue& out) {
    auto between = tokens_.take_between();
    if (out.items.empty())
      after_open(between, out);
    else if (!out.items.back().comma)
      behind(between, out.items.back());
    out.before_close = std::exchange(waiting_, {});
    own(std::move(between), out.before_close);
    tokens_.advance();
  }

  static void measure(LayoutValue& out) {
    out.flat = !out.after_open && out.before_close.empty();
    out.width = out.items.empty() || out.open == '[' ? 2 : 4;
    for (std::size_t i = 0; i < out.items.size(); ++i) {
      const auto& item = out.items[i];
      out.flat = out.flat && item.value.flat && !item.starts_line && item.before.empty() && !item.tail;
      out.width += flat_width(item) + (i > 0 ? 1 : 0) + (item.comma ? 1 : 0);
    }
  }

  Tokens tokens_;
  std::vector<OwnComment> waiting_;  // comments for the next item, or for the end of the container
};

}  // namespace

std::size_t layout_width(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::size_t flat_width(const LayoutItem& item) noexcept {
  const auto with_blank = [](const std::string& text) { return text.empty() ? 0 : layout_width(text) + 1; };
  const auto key = item.key.empty() ? 0 : layout_width(item.key) + 2;
  return with_blank(item.beside) + key + item.value.width + with_blank(item.behind);
}

LayoutText read_layout(std::string_view source) { return TreeReader(source).run(); }

LayoutContent content_of(std::string_view source) {
  LayoutContent out;
  for (Tokens tokens(source);; tokens.advance()) {
    for (auto& each : tokens.take_between().comments) {
      std::erase_if(each.text, is_blank);
      out.comments.push_back(std::move(each.text));
    }
    if (tokens.token().empty()) return out;
    out.tokens.push_back(tokens.token());
  }
}

}  // namespace headgate::config
