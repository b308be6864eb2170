// Writes a text in the layout.
//
// A container has one of three styles. A flat container is on one line, as its author wrote it, if it fits there. A
// hanging container has its first item behind its bracket, and further lines begin below that item. The lines of a
// block are indented by two columns more than the line on which the block begins, and its closing bracket has a line of
// its own. The author's line breaks stay; lines that would be too long get further ones.

#include "tree.hpp"

#include <algorithm>
#include <utility>

namespace headgate::config {
namespace {

constexpr std::size_t kStep = 2;  // columns per level
// maximum number of lines of a hanging container that was on one line and became too long
constexpr std::size_t kHangingMost = 3;
constexpr std::size_t kFarthest = 60;  // largest column at which lines may hang

struct WrittenLine {
  std::string text;
  const TailComment* tail = nullptr;
};

class LayoutWriter {
 public:
  std::string run(const LayoutText& text) {
    root_ = &text.root;
    comments(text.root.before, 0, true);
    start(0, text.root.after_blank && !text.root.before.empty());
    value(text.root, 0, nullptr);
    suffix(text.root);
    comments(text.after, 0, false);
    end_line();
    return joined_lines();
  }

 private:
  // Lines

  void put(std::string_view text) {
    line_.text += text;
    column_ += layout_width(text);
  }
  void blanks(std::size_t count) {
    line_.text.append(count, ' ');
    column_ += count;
  }
  void end_line() {
    if (!open_) return;
    lines_.push_back(std::exchange(line_, {}));
    open_ = false;
  }
  void start(std::size_t column, bool after_blank) {
    end_line();
    if (after_blank && !lines_.empty()) lines_.emplace_back();
    open_ = true;
    column_ = 0;
    blanks(column);
    indent_ = column;
  }
  void comments(const std::vector<OwnComment>& all, std::size_t column, bool is_first) {
    for (const auto& each : all) {
      start(column, each.after_blank && !std::exchange(is_first, false));
      is_first = false;
      put(moved(each, column));
    }
  }
  /// Returns a comment at another column. Its further lines keep their distance to the first one.
  static std::string moved(const OwnComment& comment, std::size_t column) {
    std::string out;
    std::size_t at = 0;
    while (at < comment.text.size()) {
      const auto end = std::min(comment.text.find('\n', at), comment.text.size());
      std::string line = comment.text.substr(at, end - at);
      if (at > 0 && !line.empty()) {
        const auto first = std::min(line.find_first_not_of(' '), line.size());
        if (column > comment.column) line.insert(0, column - comment.column, ' ');
        if (column < comment.column) line.erase(0, std::min(first, comment.column - column));
      }
      out += (at > 0 ? "\n" : "") + line;
      at = end + 1;
    }
    return out;
  }

  /// Joins the lines. Comments at the ends of consecutive lines are aligned if the author has aligned one of them.
  std::string joined_lines() const {
    std::string out;
    for (std::size_t begin = 0; begin < lines_.size();) {
      auto end = begin;
      while (end < lines_.size() && lines_[end].tail != nullptr) ++end;
      const auto column = tail_column(begin, end);
      for (auto i = begin; i < std::max(end, begin + 1); ++i) {
        out += lines_[i].text;
        if (lines_[i].tail != nullptr) {
          const auto width = layout_width(lines_[i].text);
          out.append(column > width ? column - width : 2, ' ').append(lines_[i].tail->text);
        }
        out += '\n';
      }
      begin = std::max(end, begin + 1);
    }
    return out;
  }
  /// Returns the column of the comments at the ends of these lines; 0 if they are not aligned.
  std::size_t tail_column(std::size_t begin, std::size_t end) const {
    std::size_t widest = 0;
    std::size_t longest = 0;
    bool wanted = false;
    for (auto i = begin; i < end; ++i) {
      widest = std::max(widest, layout_width(lines_[i].text));
      longest = std::max(longest, layout_width(lines_[i].tail->text));
      wanted = wanted || lines_[i].tail->apart;
    }
    return wanted && widest + 2 + longest <= kLayoutWidth ? widest + 2 : 0;
  }

  // Values

  using Columns = std::vector<std::size_t>;

  /// Writes a value. `after` is the number of columns that must follow its last line; `columns` are extra blanks before
  /// its items, null or empty if there are none.
  void value(const LayoutItem& item, std::size_t after, const Columns* columns) {
    const auto& what = item.value;
    if (what.open == 0) return put(what.raw);
    if (what.flat && column_ + what.width + after <= kLayoutWidth) return flat(what, columns);
    if (what.items.empty() && what.flat) return flat(what, nullptr);
    const bool too_long = what.flat;
    const bool hangs = column_ < kFarthest && (too_long ? may_hang(item, after) : hangs_by_author(what));
    const bool each = too_long && !hangs && (is_list_of_lines(item) || !in_a_line(item));
    const auto outer = indent_;
    put(std::string_view(&what.open, 1));
    if (hangs && what.open == '{') put(" ");
    tail(what.after_open);
    const auto column = hangs ? column_ : outer + kStep;
    items(what, column, {.hangs = hangs, .each = each}, after);
    comments(what.before_close, column, what.items.empty());
    if (!hangs) start(outer, false);
    if (hangs && what.open == '{') put(" ");
    put(what.open == '{' ? "}" : "]");
    indent_ = outer;
  }

  struct Style {
    bool hangs = false;
    bool each = false;  // whether each item gets a line of its own
  };

  void items(const LayoutValue& what, std::size_t column, Style style, std::size_t after) {
    const auto alignment = align(what, column, style.each);
    const std::size_t close = style.hangs ? (what.open == '{' ? 2 : 1) + after : 0;
    for (std::size_t i = 0; i < what.items.size(); ++i) {
      const auto& item = what.items[i];
      const bool last = i + 1 == what.items.size();
      const std::size_t behind = (item.comma ? 1 : 0) + (last ? close : 0);
      if (breaks(what, i, style, behind)) {
        const bool spaced = i > 0;
        comments(item.before, column, !spaced);
        start(column, item.after_blank && (spaced || !item.before.empty()));
      } else if (i > 0) {
        put(" ");
      }
      one(item, behind, alignment.behind_key[i], &alignment.columns[i]);
    }
  }

  bool breaks(const LayoutValue& what, std::size_t at, Style style, std::size_t behind) const {
    const auto& item = what.items[at];
    if (at == 0) return !style.hangs;
    if (style.each || item.starts_line || !item.before.empty() || what.items[at - 1].tail) return true;
    return item.value.flat && column_ + 1 + flat_width(item) + behind > kLayoutWidth;
  }

  void one(const LayoutItem& item, std::size_t after, std::size_t behind_key, const Columns* columns) {
    if (!item.beside.empty()) put(item.beside + ' ');
    if (!item.key.empty()) {
      put(item.key + ": ");
      blanks(behind_key);
    }
    const auto behind = item.behind.empty() ? 0 : layout_width(item.behind) + 1;
    value(item, behind + after, columns);
    suffix(item);
  }
  void suffix(const LayoutItem& item) {
    if (!item.behind.empty()) put(' ' + item.behind);
    if (item.comma) put(",");
    tail(item.tail);
  }
  void tail(const std::optional<TailComment>& comment) {
    if (comment) line_.tail = &*comment;
  }

  void flat(const LayoutValue& what, const Columns* columns) {
    const bool padded = what.open == '{' && !what.items.empty();
    put(std::string_view(&what.open, 1));
    if (padded) put(" ");
    for (std::size_t i = 0; i < what.items.size(); ++i) {
      if (i > 0) put(" ");
      if (columns != nullptr && i < columns->size()) blanks((*columns)[i]);
      one(what.items[i], 0, 0, nullptr);
    }
    if (padded) put(" ");
    put(what.open == '{' ? "}" : "]");
  }

  // Styles

  static bool hangs_by_author(const LayoutValue& what) {
    return !what.items.empty() && !what.items.front().starts_line && !what.after_open && what.before_close.empty() &&
           !what.items.back().tail;
  }

  /// Returns whether a container that was flat may hang: its items fit in a few lines after its bracket.
  bool may_hang(const LayoutItem& item, std::size_t after) const {
    const auto& what = item.value;
    if (!in_a_line(item)) return false;
    const auto column = column_ + (what.open == '{' ? 2 : 1);
    if (column + after >= kLayoutWidth || is_list_of_lines(item)) return false;
    const auto room = kLayoutWidth - column - after - 2;
    const bool fit = std::ranges::all_of(what.items, [&](const auto& each) { return flat_width(each) + 1 <= room; });
    return fit && what.width <= room * kHangingMost;
  }

  /// Returns whether the item is a part of the text rather than the whole text.
  bool in_a_line(const LayoutItem& item) const { return &item != root_; }

  /// Returns whether each item deserves a line of its own: the objects in a list, several objects with names, or more
  /// than twelve members.
  static bool is_list_of_lines(const LayoutItem& item) {
    const auto& what = item.value;
    const auto objects = std::ranges::count_if(
        what.items, [](const auto& each) { return each.value.open == '{' && !each.value.items.empty(); });
    return what.open == '[' ? objects > 0 : (objects > 1 && !item.key.empty()) || what.items.size() > 12;
  }

  const LayoutItem* root_ = nullptr;
  std::vector<WrittenLine> lines_;
  WrittenLine line_;
  bool open_ = false;
  std::size_t column_ = 0;
  std::size_t indent_ = 0;  // indentation of the current line, in columns
};

}  // namespace

std::string write_layout(const LayoutText& text) { return LayoutWriter().run(text); }

}  // namespace headgate::config
